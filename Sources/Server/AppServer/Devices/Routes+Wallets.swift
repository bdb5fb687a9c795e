internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords
internal import VitrineSupport

extension Routes {
    /// Adds the routes for devices to spend units of wallets, and to lease units for spending without a network.
    mutating func addWallets(_ services: AppServices) {
        let (records, devices) = (services.records, DeviceCredential(services))
        add(AppServerAPI.spend, for: devices) { call, device in
            let (wallet, body) = (try call.parameter("key"), try await call.body())
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
            return try call.reply(answer, status: answer.isNew ? .created : .ok)
        }
        add(AppServerAPI.lease, for: devices) { call, device in
            let (wallet, body) = (try call.parameter("key"), try await call.body())
            let answer = try await records.lease(
                body.amount, of: wallet, token: body.token, seconds: body.seconds, to: device)
            return try call.reply(answer)
        }
        add(AppServerAPI.reportLease, for: devices) { call, device in
            let token = try call.parameter("token")
            let body = try await call.body()
            let answer = try await records.report(
                lease: token, debits: body.debits, returning: body.isReturned ?? false, from: device)
            return try call.reply(answer)
        }
    }

    /// Returns the current balance of a customer's wallet.
    private static func balance(
        of wallet: String, _ device: EnrolledDevice, _ records: CustomerRecords
    ) async throws -> Int {
        let customerState = try await records.customerState(of: device.customer)
        return try CustomerStateDocument(encoded: customerState.body).wallets[wallet] ?? 0
    }
}
