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

    /// - Parameters:
    ///   - mirrors: Balances are going to be written into the app's preferences.
    ///   - isCatalogCurrent: The catalog is the one that counts now. From another nothing is recorded: it may lack a
    ///     wallet or a product, and there is no second time.
    ///   - storeAnswer: What the store has said in this load about all products; `nil` where it has not.
    /// - Returns: Whether what was there before has been looked at, so that preferences may be written over.
    func record(
        _ predecessors: PredecessorSource?, mirrors: Bool, isCatalogCurrent: Bool, storeAnswer: StoreAnswer?
    ) async -> Bool {
        let entitlements = state.snapshot.entitlements
        guard let catalog = entitlements.catalog else { return false }
        // The ledger that was lost had recorded all of it: once more would be too much.
        guard !entitlements.isSuccessor else { return true }
        do throws(LedgerError) {
            guard isCatalogCurrent else { return try await isRecorded(predecessors) }
            if let predecessors {
                guard !catalog.hasErrors else { return false }
                for predecessor in predecessors.predecessors {
                    guard try await takeOver(predecessor, predecessors.reader(catalog), storeAnswer) else {
                        return false
                    }
                }
            }
            try await recordStartingBalances(of: catalog)
            if mirrors { _ = try await ledger.append([.note(Self.mirroring)], at: now()) }
            try await state.refresh()
            return true
        } catch {
            state.tell(.ledger(.failed(error)))
            return false
        }
    }

    /// Preferences were written over before, and each of these libraries was looked at by then.
    private func isRecorded(_ predecessors: PredecessorSource?) async throws(LedgerError) -> Bool {
        for token in [Self.mirroring.token] + (predecessors?.predecessors ?? []).map({ Self.token(of: $0) }) {
            guard try await ledger.entry(of: .note, key: token) != nil else { return false }
        }
        return true
    }

    /// Recorded before anything is written into preferences: what stands there from then on is not another library's.
    private static let mirroring = Fact.Note(
        token: "mirroring", reason: "balances are written into the app's preferences from here on")

    /// Who comes with a balance from another library is no new customer.
    private func recordStartingBalances(of catalog: Catalog) async throws(LedgerError) {
        for (wallet, declared) in catalog.wallets.sorted(by: { $0.key < $1.key }) where declared.startingBalance > 0 {
            let deposit = Fact.Deposit(
                token: "starting-balance:\(wallet)", wallet: wallet, amount: declared.startingBalance,
                reason: "what every customer begins with")
            let earlier = [deposit.token] + Predecessor.allCases.map { Self.token(of: $0, for: wallet) }
            var isKnown = false
            for token in earlier where !isKnown { isKnown = try await ledger.entry(of: .deposit, key: token) != nil }
            if !isKnown { _ = try await ledger.append([.deposit(deposit)], at: now()) }
        }
    }

    private static func token(of predecessor: Predecessor) -> String { "taken-over:\(predecessor.rawValue)" }

    private static func token(of predecessor: Predecessor, for thing: String) -> String {
        "\(token(of: predecessor)):\(thing)"
    }

    /// - Returns: `false` where something could not be looked at, and nothing was taken over.
    private func takeOver(
        _ predecessor: Predecessor, _ reader: PredecessorReader, _ storeAnswer: StoreAnswer?
    ) async throws(LedgerError) -> Bool {
        let token = Self.token(of: predecessor)
        guard try await ledger.entry(of: .note, key: token) == nil else { return true }
        var found = reader.read(predecessor)
        let isReadable = !found.unreadable.contains(where: \.mayBeReadLater)
        let areKindsKnown = found.owned.allSatisfy {
            $0.expirationDate != nil || kind(of: $0.identifier, storeAnswer) != .unknown
        }
        guard isReadable, areKindsKnown else {
            if !isReadable {
                state.tell(.ledger(.legacyLibraryImported(predecessor, PredecessorState(unreadable: found.unreadable))))
            }
            return false
        }
        // VTAInAppPurchases kept balances where they are written to now.
        if try await ledger.entry(of: .note, key: Self.mirroring.token) != nil, predecessor == .vtaInAppPurchases {
            found.balances = []
        }
        let grants = found.owned.filter { isGiven($0, storeAnswer) }.map { product in
            Fact.grant(
                Fact.Grant(
                    token: Self.token(of: predecessor, for: product.identifier)
                        + (product.transactionID.map { ":\($0)" } ?? ""),
                    productIdentifier: product.identifier, reason: "taken over from \(product.source)",
                    expirationDate: product.expirationDate))
        }
        let deposits = found.balances.map { balance in
            Fact.deposit(
                Fact.Deposit(
                    token: Self.token(of: predecessor, for: balance.wallet), wallet: balance.wallet,
                    amount: balance.units, reason: "taken over from \(balance.source)"))
        }
        let note = Fact.Note(
            token: token,
            reason: "looked at what \(predecessor.rawValue) had left: \(grants.count) products, "
                + "\(deposits.count) wallets, \(found.unreadable.count) things that could not be read")
        _ = try await ledger.append([.note(note)] + grants + deposits, at: now())
        state.tell(.ledger(.legacyLibraryImported(predecessor, found)))
        await takeOver(found.content, under: reader.catalog)
        return true
    }

    /// Of a subscription the other library may not have known when it ends: the store will tell whether it is still
    /// there, and it is not given for ever.
    private func isGiven(_ product: PredecessorState.OwnedProduct, _ storeAnswer: StoreAnswer?) -> Bool {
        switch kind(of: product.identifier, storeAnswer) {
        case .autoRenewableSubscription, .nonRenewingSubscription: product.expirationDate != nil
        default: true
        }
    }

    /// What the catalog says, or else the store; `nil` for what the catalog does not have any more: it was bought once,
    /// and nobody can say as what.
    private func kind(of identifier: String, _ storeAnswer: StoreAnswer?) -> ProductKind? {
        guard let product = state.snapshot.catalog?[identifier] else { return nil }
        guard product.kind == .unknown, let storeAnswer, storeAnswer.asked.contains(identifier) else {
            return product.kind
        }
        // What the store does not sell any more is taken for what most products are.
        return storeAnswer.products.first { $0.identifier == identifier }?.kind ?? .nonConsumable
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
                state.tell(.content(.failed(error)))
            }
        }
    }
}
