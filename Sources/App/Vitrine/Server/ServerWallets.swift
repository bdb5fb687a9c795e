public import Foundation
internal import VitrineAppServerAPI
internal import VitrineSupport

/// Result of spending units at the app's own server.
public struct ServerDebit: Sendable, Hashable {
    /// `false` if the server had recorded the same debit before.
    public let isNew: Bool
    /// Balance of the wallet at the server after the debit.
    public let balance: Int
}

/// Units of a wallet that the app's own server has reserved for this device.
public struct ServerLease: Sendable, Hashable {
    public let token: String
    public let wallet: String
    /// Number of reserved units.
    public let amount: Int
    public let expirationDate: Date
    /// Number of reserved units for which the server knows no debit.
    public let left: Int
}

/// Debit of reserved units.
public struct ServerLeaseDebit: Sendable, Hashable {
    /// Token of the debit. The server records one debit for each token.
    public let token: String
    public let amount: Int
    /// Date at which the units were spent. The server takes a date outside the lease for the nearest one within, because
    /// the clocks of device and server differ.
    public let date: Date

    public init(token: String, amount: Int, date: Date) { (self.token, self.amount, self.date) = (token, amount, date) }
}

extension CatalogManager.Server {
    // MARK: Wallets

    /// Spends units of a wallet at the server, which decides for all devices of the customer. This device records the
    /// debit with its next exchange. If the result is unknown, the same call can be repeated: the server spends once for
    /// each token.
    ///
    /// - Throws: ``AppServerError``: `insufficientFunds` if the wallet has too few units that are not leased, `conflict`
    ///   if the token belongs to another debit.
    @discardableResult
    public func spend(_ amount: Int, from wallet: String, token: String) async throws(AppServerError) -> ServerDebit {
        let body = DebitRequest(token: token, amount: amount)
        let answer = try await session.send(ServerClient.Request(AppServerAPI.spend, wallet, body: body))
        return ServerDebit(isNew: answer.isNew, balance: answer.balance)
    }

    /// Reserves units of a wallet at the server for this device. The app can then spend them without a network, keeps its
    /// own record of that, and reports it with ``report(_:ofLease:returning:)``. To spend leased units from the wallet on
    /// this device instead, use ``lease(_:of:token:until:_:)``.
    ///
    /// - Parameter seconds: Duration of the lease in seconds.
    /// - Throws: ``AppServerError``: `insufficientFunds` if the wallet has too few units that are not leased, `conflict`
    ///   if the device has another lease of the wallet, or the token belongs to another lease.
    public func reserve(
        _ amount: Int, of wallet: String, token: String, seconds: Int
    ) async throws(AppServerError) -> ServerLease {
        let body = LeaseRequest(token: token, amount: amount, seconds: seconds)
        return ServerLease(try await session.send(ServerClient.Request(AppServerAPI.lease, wallet, body: body)))
    }

    /// Reports what was spent of a lease. Debits that the server knows already are skipped, so that the same call can be
    /// repeated.
    ///
    /// - Parameters:
    ///   - token: Token of the lease.
    ///   - isReturned: `true` to end the lease, whose remaining units then return to the wallet.
    /// - Throws: ``AppServerError``: `insufficientFunds` for more units than are left of the lease, `notFound` if this
    ///   device has no such lease, `refused` if the lease was returned or has ended because an operator has separated the
    ///   device from the leased units. After an error, the server has recorded none of the debits.
    @discardableResult
    public func report(
        _ debits: [ServerLeaseDebit], ofLease token: String, returning isReturned: Bool = false
    ) async throws(AppServerError) -> ServerLease {
        let body = LeaseReport(
            debits: debits.map { LeaseDebit(token: $0.token, amount: $0.amount, spent: $0.date.milliseconds) },
            isReturned: isReturned)
        return ServerLease(try await session.send(ServerClient.Request(AppServerAPI.reportLease, token, body: body)))
    }
}

extension ServerLease {
    fileprivate init(_ answer: LeaseAnswer) {
        (token, wallet, amount, left) = (answer.token, answer.wallet, answer.amount, answer.left)
        expirationDate = Date(milliseconds: answer.expires)
    }
}
