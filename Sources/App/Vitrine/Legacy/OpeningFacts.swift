internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineHostedContent

/// Facts from before any purchase with Vitrine: the starting balance of each wallet, and the data of legacy libraries.
/// Each fact is recorded once.
struct OpeningFacts {
    let entitlements: EntitlementStore
    let state: ManagerState
    let directory: ContentDirectory
    let now: @Sendable () -> Date

    /// Records the opening facts that are not recorded yet.
    ///
    /// - Parameters:
    ///   - mirrors: `true` if balances are going to be written to the app's preferences.
    ///   - isCatalogCurrent: `true` if the catalog is the current one. Nothing is recorded from another catalog,
    ///     which may lack a wallet or a product, because the facts are recorded only once.
    ///   - storeSnapshot: Store response about all products in this load; `nil` if there is none.
    /// - Returns: `true` if earlier data has been read, so that preferences may be overwritten.
    func record(
        _ legacyData: LegacyDataSource?, mirrors: Bool, isCatalogCurrent: Bool, storeSnapshot: StoreSnapshot?
    ) async -> Bool {
        let snapshot = state.snapshot
        guard let catalog = snapshot.catalog else { return false }
        // The lost ledger had already recorded these facts: recording them again would count them twice.
        guard !snapshot.entitlements.isSuccessor else { return true }
        do throws(LedgerError) {
            guard isCatalogCurrent else { return try await isRecorded(legacyData) }
            if let legacyData {
                guard !catalog.hasErrors else { return false }
                for library in legacyData.libraries {
                    guard try await importData(of: library, from: legacyData, catalog, storeSnapshot) else {
                        return false
                    }
                }
            }
            try await recordStartingBalances(of: catalog)
            if mirrors { try await entitlements.record([.note(Self.mirroring)], at: now()) }
            return true
        } catch {
            state.send(.ledger(.failed(error)))
            return false
        }
    }

    /// Returns `true` if all opening facts are recorded: preferences were overwritten, and each legacy library was read
    /// before that.
    private func isRecorded(_ legacyData: LegacyDataSource?) async throws(LedgerError) -> Bool {
        for token in [Self.mirroring.token] + (legacyData?.libraries ?? []).map({ Self.token(of: $0) }) {
            guard try await entitlements.ledger.entry(of: .note, key: token) != nil else { return false }
        }
        return true
    }

    /// Note that is recorded before preferences are written: from then on, the preferences no longer contain the values
    /// of a legacy library.
    private static let mirroring = Fact.Note(
        token: "mirroring", reason: "after this entry, balances are also written into the app's preferences")

    /// Records the starting balances of wallets, except of those that a legacy library has left, with units or without.
    private func recordStartingBalances(of catalog: Catalog) async throws(LedgerError) {
        for (wallet, declared) in catalog.wallets.sorted(by: { $0.key < $1.key }) where declared.startingBalance > 0 {
            let deposit = Fact.Deposit(startingBalance: declared.startingBalance, of: wallet)
            let imported = LegacyLibrary.allCases.map { (Fact.Kind.note, Self.token(of: $0, for: wallet)) }
            var isKnown = false
            for (kind, key) in [(.deposit, deposit.token)] + imported where !isKnown {
                isKnown = try await entitlements.ledger.entry(of: kind, key: key) != nil
            }
            if isKnown {
                // Another process may have recorded the balance since this one has read the ledger.
                try await entitlements.refresh()
            } else {
                try await entitlements.record([.deposit(deposit)], at: now())
            }
        }
    }

    private static func token(of library: LegacyLibrary) -> String { "taken-over:\(library.rawValue)" }

    private static func token(of library: LegacyLibrary, for thing: String) -> String {
        "\(token(of: library)):\(thing)"
    }

    /// Imports the data of a legacy library, unless it was imported before.
    ///
    /// - Returns: `false` if some data could not be read, and nothing was imported.
    private func importData(
        of library: LegacyLibrary, from source: LegacyDataSource, _ catalog: Catalog, _ storeSnapshot: StoreSnapshot?
    ) async throws(LedgerError) -> Bool {
        let token = Self.token(of: library)
        guard try await entitlements.ledger.entry(of: .note, key: token) == nil else { return true }
        var found = source.read(library, catalog)
        let isReadable = !found.unreadable.contains(where: \.mayBeReadLater)
        let areKindsKnown = found.owned.allSatisfy {
            $0.expirationDate != nil || kind(of: $0.identifier, storeSnapshot) != .unknown
        }
        guard isReadable, areKindsKnown else {
            if !isReadable {
                state.send(.ledger(.legacyLibraryImported(library, LegacyState(unreadable: found.unreadable))))
            }
            return false
        }
        // VTAInAppPurchases stored balances under the keys that are now written.
        if try await entitlements.ledger.entry(of: .note, key: Self.mirroring.token) != nil,
            library == .vtaInAppPurchases
        {
            (found.balances, found.emptyWallets) = ([], [])
        }
        let grants = found.owned.filter { isGiven($0, storeSnapshot) }.map { product in
            Fact.grant(
                Fact.Grant(
                    token: Self.token(of: library, for: product.identifier)
                        + (product.transactionID.map { ":\($0)" } ?? ""),
                    productIdentifier: product.identifier, reason: "imported from \(product.source)",
                    expirationDate: product.expirationDate))
        }
        let deposits = found.balances.map { Fact.deposit(Self.deposit($0, of: library)) }
        // An exchange adds deposits of other devices, which say nothing about the starting balance of this one.
        let walletNotes = found.emptyWallets.union(found.balances.map(\.wallet)).sorted()
            .map { Self.note(ofBalanceOf: library, in: $0) }
        let note = Fact.Note(
            token: token,
            reason: "imported the data of \(library.rawValue): \(grants.count) products, "
                + "\(deposits.count) wallets, \(found.unreadable.count) items that could not be read")
        try await entitlements.record([.note(note)] + grants + deposits + walletNotes, at: now()) { [found] _ in
            state.send(.ledger(.legacyLibraryImported(library, found)))
        }
        await install(found.content, under: catalog)
        return true
    }

    private static func note(ofBalanceOf library: LegacyLibrary, in wallet: String) -> Fact {
        .note(
            Fact.Note(
                token: token(of: library, for: wallet),
                reason: "the wallet \"\(wallet)\" has the balance of \(library.rawValue)"))
    }

    /// Returns the note to record with an imported deposit of a balance that a legacy library has left, so that its wallet
    /// receives no starting balance; `nil` for any other deposit.
    static func note(ofImported deposit: Fact.Deposit) -> Fact? {
        let library = LegacyLibrary.allCases.first {
            deposit.token == "\(token(of: $0, for: deposit.wallet)):\(deposit.amount)"
        }
        return library.map { note(ofBalanceOf: $0, in: deposit.wallet) }
    }

    /// Creates the deposit of a balance that a legacy library has left.
    ///
    /// Each device has its own balance, so that the balances of two devices that exchange are added. Only equal ones count
    /// once, because they are more likely the same units: a backup of one device was restored on the other.
    private static func deposit(_ balance: LegacyState.Balance, of library: LegacyLibrary) -> Fact.Deposit {
        Fact.Deposit(
            token: "\(token(of: library, for: balance.wallet)):\(balance.units)", wallet: balance.wallet,
            amount: balance.units, reason: "imported from \(balance.source)")
    }

    /// Returns `true` if a product that a legacy library records as purchased is to be granted. A subscription without
    /// a known expiration date is not granted, because the grant would never end; the store reports whether the
    /// subscription is active.
    private func isGiven(_ product: LegacyState.OwnedProduct, _ storeSnapshot: StoreSnapshot?) -> Bool {
        switch kind(of: product.identifier, storeSnapshot) {
        case .autoRenewableSubscription, .nonRenewingSubscription: product.expirationDate != nil
        default: true
        }
    }

    /// Returns the type of a product according to the catalog, or else the store; `nil` for a product that the catalog
    /// no longer contains: it was bought once, and its type is unknown.
    private func kind(of identifier: String, _ storeSnapshot: StoreSnapshot?) -> ProductKind? {
        guard let product = state.snapshot.catalog?[identifier] else { return nil }
        guard product.kind == .unknown, let storeSnapshot, storeSnapshot.requested.contains(identifier) else {
            return product.kind
        }
        // A product that the store no longer sells is treated as the most common type.
        return storeSnapshot.products.first { $0.identifier == identifier }?.kind ?? .nonConsumable
    }

    /// Imports content. Content that cannot be imported can be downloaded again: an event reports the failure.
    private func install(_ content: [LegacyState.Content], under catalog: Catalog) async {
        for content in content {
            guard let path = catalog[content.productIdentifier]?.hostedContentPath else { continue }
            do {
                guard try directory.installedContent(at: path) == nil else { continue }
                let package = try ContentPackage(
                    unpackaged: content.folder, of: content.productIdentifier, version: "unknown")
                _ = try await directory.install(package, at: path)
            } catch {
                state.send(.content(.failed(error)))
            }
        }
    }
}
