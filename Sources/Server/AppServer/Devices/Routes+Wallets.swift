internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerRecords
internal import VitrineHTTPServing
internal import VitrineSupport

extension Routes {
    /// Adds the routes for devices to spend units of wallets, and to lease units for spending without a network.
    mutating func addWallets(_ services: AppServices) {
        let (records, devices) = (services.records, DeviceCredential(services))
        add(.post, "/v1/me/wallets/{key}/debits", for: devices) { call, device in
            let (wallet, body) = (try call.parameter("key"), try await call.document(DebitBody.self))
            let answer: DebitAnswer
            do throws(CustomerError) {
                answer = try await records.spend(body.amount, of: wallet, token: body.token, from: device)
            } catch {
                var errorResponse = ErrorResponse(error)
                if error.code == .insufficientFunds {
                    errorResponse.balance = try await Self.balance(of: wallet, device, records)
                }
                throw errorResponse
            }
            return try .json(answer, status: answer.isNew ? .created : .ok)
        }
        add(.post, "/v1/me/wallets/{key}/leases", for: devices) { call, device in
            let (wallet, body) = (try call.parameter("key"), try await call.document(LeaseBody.self))
            let answer = try await records.lease(
                body.amount, of: wallet, token: body.token, seconds: body.seconds, to: device)
            return try .json(answer)
        }
        add(.put, "/v1/me/leases/{token}", for: devices) { call, device in
            let token = try call.parameter("token")
            let body = try await call.document(LeaseReport.self, limit: LeaseReport.limit)
            let answer = try await records.report(
                lease: token, debits: body.debits, returning: body.isReturned ?? false, from: device)
            return try .json(answer)
        }
    }

    /// Returns the current balance of a customer's wallet.
    private static func balance(
        of wallet: String, _ device: EnrolledDevice, _ records: CustomerRecords
    ) async throws -> Int {
        let customerState = try await records.customerState(of: device.customer)
        return try JSONDecoder().decode(Balances.self, from: customerState.body).wallets[wallet] ?? 0
    }
}

private struct Balances: Decodable {
    let wallets: [String: Int]
}

private struct DebitBody: Decodable {
    let token: String
    let amount: Int
}

private struct LeaseBody: Decodable {
    let token: String
    let amount: Int
    /// Duration of the lease in seconds.
    let seconds: Int
}

private struct LeaseReport: Decodable {
    /// Maximum size of the body in bytes, enough for a thousand debits.
    static let limit = 512 * 1024

    let debits: [LeaseDebit]
    let isReturned: Bool?
}
