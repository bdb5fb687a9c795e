internal import Entitlements
internal import Foundation
internal import HostedContent
internal import ProductCatalog

/// What a customer has before anything is bought here: what each wallet begins with, and what another library had kept.
/// Each is recorded once.
struct OpeningFacts {
    let ledger: any Ledger
    let state: ManagerState
    let directory: ContentDirectory
    let now: @Sendable () -> Date

    /// - Returns: Whether it is known what was there before, so that preferences may be written over.
    func record(_ predecessors: PredecessorSource?) async -> Bool {
        let entitlements = state.snapshot.entitlements
        guard let catalog = entitlements.catalog else { return false }
        // The ledger that was lost had recorded all of it: once more would be too much.
        guard !entitlements.isSuccessor else { return true }
        do throws(LedgerError) {
            if let predecessors {
                guard !catalog.hasErrors else { return false }
                for predecessor in predecessors.predecessors {
                    try await takeOver(predecessor, predecessors.reader(catalog))
                }
            }
            try await recordStartingBalances(of: catalog)
            try await state.refresh()
            return true
        } catch {
            state.events.send(.ledgerFailed(error))
            return false
        }
    }

    private func recordStartingBalances(of catalog: Catalog) async throws(LedgerError) {
        for (wallet, declared) in catalog.wallets.sorted(by: { $0.key < $1.key }) where declared.startingBalance > 0 {
            let deposit = Fact.Deposit(
                token: "starting-balance:\(wallet)", wallet: wallet, amount: declared.startingBalance,
                reason: "what every customer begins with")
            guard try await ledger.entry(of: .deposit, key: deposit.token) == nil else { continue }
            _ = try await ledger.append([.deposit(deposit)], at: now())
        }
    }

    /// Of a subscription the other library may not have known when it ends: the store will tell whether it is still
    /// there, and it is not given for ever.
    private func isGiven(_ product: PredecessorState.OwnedProduct, under catalog: Catalog) -> Bool {
        switch catalog[product.identifier]?.kind {
        case .autoRenewableSubscription, .nonRenewingSubscription: product.expirationDate != nil
        default: true
        }
    }

    private func takeOver(_ predecessor: Predecessor, _ reader: PredecessorReader) async throws(LedgerError) {
        let token = "taken-over:\(predecessor.rawValue)"
        guard try await ledger.entry(of: .note, key: token) == nil else { return }
        let found = reader.read(predecessor)
        let grants = found.owned.filter { isGiven($0, under: reader.catalog) }.map { product in
            Fact.grant(
                Fact.Grant(
                    token: "\(token):\(product.identifier)" + (product.transactionID.map { ":\($0)" } ?? ""),
                    productIdentifier: product.identifier, reason: "taken over from \(product.source)",
                    expirationDate: product.expirationDate))
        }
        let deposits = found.balances.map { balance in
            Fact.deposit(
                Fact.Deposit(
                    token: "\(token):\(balance.wallet)", wallet: balance.wallet, amount: balance.units,
                    reason: "taken over from \(balance.source)"))
        }
        let note = Fact.Note(
            token: token,
            reason: "looked at what \(predecessor.rawValue) had left: \(grants.count) products, "
                + "\(deposits.count) wallets, \(found.unreadable.count) things that could not be read")
        _ = try await ledger.append([.note(note)] + grants + deposits, at: now())
        state.events.send(.predecessorTakenOver(predecessor, found))
        await takeOver(found.content, under: reader.catalog)
    }

    /// Content that cannot be taken over can be downloaded again: what it fails of is told.
    private func takeOver(_ content: [PredecessorState.Content], under catalog: Catalog) async {
        for content in content {
            guard let path = catalog[content.productIdentifier]?.hostedContentPath else { continue }
            do {
                guard try directory.installedContent(at: path) == nil else { continue }
                let package = try ContentPackage(
                    unpackaged: content.folder, of: content.productIdentifier, version: "unknown")
                _ = try await directory.install(package, at: path)
            } catch {
                state.events.send(.contentFailed(error))
            }
        }
    }
}
