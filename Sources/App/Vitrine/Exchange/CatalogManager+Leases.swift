public import Foundation
public import VitrineDeviceExchange
public import VitrineEntitlements
internal import VitrineSupport

extension CatalogManager.Devices {
    /// Reserves units of a wallet for this device, which can then spend them offline. Other devices do not spend them
    /// until a day after the end of the lease.
    ///
    /// - Parameters:
    ///   - amount: Number of units, above zero.
    ///   - wallet: The wallet's key.
    ///   - token: The app's own identifier of this lease. Repeated calls with the same token lease the units only
    ///     once.
    ///   - date: Date from which the units are no longer reserved.
    ///   - transport: Shared storage of the exchange, which is locked for other devices while the lease is made.
    ///   - options: Options of the exchange.
    /// - Throws: `ExchangeError`: `insufficientFunds` if the wallet has fewer units that no device has leased,
    ///   `transport` if the shared storage cannot be reached or locked.
    public func lease(
        _ amount: Int, of wallet: String, token: String, until date: Date, at transport: any ExchangeTransport,
        _ options: ExchangeOptions
    ) async throws(ExchangeError) {
        let lease = Fact.Lease(token: token, wallet: wallet, amount: amount, expirationDate: date)
        try await decide(at: transport, options, .lease(lease))
    }

    /// Returns the number of units of a wallet that this device has leased and not spent.
    ///
    /// - Throws: `LedgerError` if the ledger cannot be read.
    public func leasedUnits(of wallet: String) async throws(LedgerError) -> Int {
        unitsLeased(of: wallet, in: try await manager.ledger.history()) { $0.device == nil }
    }

    private func unitsLeased(
        of wallet: String, in history: [LedgerEntry], grace: TimeInterval = 0, where counts: (LedgerEntry) -> Bool
    ) -> Int {
        let entries = history.filter { $0.fact.wallet == wallet }
        let releases = Dictionary(
            history.filter { $0.fact.kind == .release }.map { ($0.fact.key, $0.moment) }, uniquingKeysWith: min)
        return entries.filter { $0.fact.kind == .lease && counts($0) }.unitsLeft(
            after: entries, released: releases, at: manager.now(), grace: grace)
    }

    /// Spends units that this device has leased, and no others. An offline device can spend them without the risk that
    /// another device spends the same units.
    ///
    /// - Parameters:
    ///   - amount: Number of units, above zero.
    ///   - wallet: The wallet's key.
    ///   - token: The app's own identifier of this spending, as in ``CatalogManager/Wallets/spend(_:from:token:)``.
    /// - Returns: The balance afterwards.
    /// - Throws: `LedgerError`, as ``CatalogManager/Wallets/spend(_:from:token:)``; `insufficientFunds` also if this
    ///   device has leased fewer units.
    @discardableResult
    public func spendLeased(
        _ amount: Int, from wallet: String, token: String
    ) async throws(LedgerError) -> WalletBalance {
        try await manager.wallets.spend(amount, from: wallet, token: token, requiresLease: true)
    }

    /// Releases a lease, so that its unspent units are no longer reserved for this device.
    ///
    /// - Throws: `ExchangeError` `invalid` if this device has no such lease, otherwise as ``exchange(at:_:)`` does.
    public func release(
        _ token: String, at transport: any ExchangeTransport, _ options: ExchangeOptions
    ) async throws(ExchangeError) {
        try await decide(at: transport, options, .release(Fact.Release(token: token)))
    }

    /// Records and publishes a fact whose validity depends on the facts of all other devices, such as a lease, while
    /// the shared storage is locked for them.
    private func decide(
        at transport: any ExchangeTransport, _ options: ExchangeOptions, _ fact: Fact
    ) async throws(ExchangeError) {
        try await locked { () async throws(ExchangeError) in
            let exchange = exchange(transport, options)
            try await transport.exclusively { () async throws(ExchangeError) in
                try await exchange.runToEnd()
                do throws(LedgerError) {
                    try await manager.entitlements.record([fact], at: manager.now())
                } catch {
                    switch error.code {
                    case .insufficientFunds: throw ExchangeError(code: .insufficientFunds, reason: error.reason)
                    case .invalidFact, .conflict: throw ExchangeError(code: .invalid, reason: error.reason)
                    default: throw ExchangeError(error)
                    }
                }
                try await exchange.runToEnd()
                if case .lease(let lease) = fact { try await confirm(lease, exchange) }
            }
        }
    }

    /// Releases a lease that, together with the leases of other devices, exceeds the wallet's balance. This happens if
    /// a process recorded the lease and was killed before publishing it, and another device has leased the units since.
    private func confirm(_ lease: Fact.Lease, _ exchange: DeviceExchange) async throws(ExchangeError) {
        do throws(LedgerError) {
            let history = try await manager.ledger.history()
            let own = unitsLeased(of: lease.wallet, in: history) { $0.device == nil }
            let others = unitsLeased(of: lease.wallet, in: history, grace: Fact.Lease.grace) { $0.device != nil }
            guard own.addingSaturated(others) > manager.wallets.balance(for: lease.wallet).units else { return }
            try await manager.entitlements.record([.release(Fact.Release(token: lease.token))], at: manager.now())
        } catch {
            throw ExchangeError(error)
        }
        try await exchange.runToEnd()
        throw ExchangeError(
            code: .insufficientFunds,
            reason:
                "other devices have leased units of the wallet \"\(lease.wallet)\" since, so that the lease is given "
                + "back")
    }
}
