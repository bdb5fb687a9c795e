internal import Foundation
internal import VitrineEntitlements
internal import VitrineReceipts

/// Division of a customer's facts between the customer and transferred parts, by the rules that assign a transaction to a
/// customer.
struct Separation {
    private let storeAccounts: Set<String>
    /// First transactions of purchases.
    private let purchases: Set<String>
    /// Identifier of the only purchase that is moved; `nil` for a transfer of parts.
    private let onlyPurchase: String?
    /// Account token that the moved purchase is recorded with; `nil` to keep that of each purchase.
    private let name: UUID?
    private let formerCustomers: Set<String>
    /// Identifiers of devices, and the names under which they have published documents.
    private let devices: Set<String>
    /// Identifiers of the customer and of all customers that were merged into it.
    private let ownNames: Set<String>

    /// - Parameters:
    ///   - former: Identifiers of the customer and of all customers that were merged into it.
    ///   - documents: Names under which the devices of the parts have published documents.
    init(_ parts: TransferredParts, former: [String], documents: Set<String>) {
        storeAccounts = parts.values(.appTransaction)
        purchases = parts.values(.purchase)
        formerCustomers = parts.formerCustomers
        devices = documents.union(parts.devices)
        ownNames = Set(former)
        (onlyPurchase, name) = (nil, nil)
    }

    /// - Parameter name: Account token in the data of the store that says whose purchase it is, so that a copy without a
    ///   name does not give the purchase to another customer.
    init(purchase: String, naming name: UUID?) {
        (storeAccounts, purchases, formerCustomers, devices, ownNames) = ([], [], [], [], [])
        (onlyPurchase, self.name) = (purchase, name)
    }

    func separated(_ entries: [LedgerEntry]) -> (moved: [LedgerEntry], kept: [LedgerEntry]) {
        // Copies of a transaction may name different customers: all that the store has signed about a purchase goes with
        // what it has signed last, in whatever order it has arrived.
        var purchases: [String: Bool] = [:]
        var periods: [String: Bool] = [:]
        let signed = entries.compactMap { $0.fact.kind == .renewal ? nil : $0.fact.origin }
            .sorted { $0.signedDate < $1.signedDate }
        for origin in signed {
            guard let payload = TransactionPayload(unverified: origin.signedData) else { continue }
            let isOfParts = isMoved(payload)
            purchases[origin.purchaseID] = isOfParts
            (periods[origin.transactionID], periods[origin.originalTransactionID]) = (isOfParts, isOfParts)
        }
        let grants = GrandfatheringGrants(entries, isMoved: isMoved)
        func isOfParts(_ entry: LedgerEntry) -> Bool {
            switch entry.fact {
            case .renewal(let renewal):
                periods[renewal.origin.transactionID] ?? periods[renewal.origin.originalTransactionID] ?? false
            case .purchase, .term, .revocation, .reinstatement:
                entry.fact.origin.flatMap { purchases[$0.purchaseID] } ?? false
            case .credit(let credit): purchases[credit.purchaseID] ?? false
            case .appPurchase(let purchase): isMoved(purchase)
            case .debit, .lease, .release: entry.device.map { devices.contains($0) } ?? false
            // Devices of both customers may have spent under one token.
            case .counterpart(let counterpart) where counterpart.kind == .debit: devices.contains(counterpart.device)
            case .counterpart(let counterpart) where [.purchase, .credit].contains(counterpart.kind):
                purchases[counterpart.subject] ?? false
            default: false
            }
        }
        return (
            entries.filter { grants.isMoved(with: $0) ?? isOfParts($0) }.map(named),
            entries.filter { grants.isKept(with: $0) ?? !isOfParts($0) }
        )
    }

    private func named(_ entry: LedgerEntry) -> LedgerEntry {
        guard let name, case .purchase(var purchase) = entry.fact else { return entry }
        purchase.accountToken = name
        return LedgerEntry(
            sequence: entry.sequence, recordedAt: entry.recordedAt, fact: .purchase(purchase), device: entry.device,
            moment: entry.moment)
    }

    /// Divides the latest signing dates of a customer's purchases and renewal data. A date without its facts would keep a
    /// later merge from recording them.
    static func statements(
        _ statements: [String: Date], goingWith moved: [LedgerEntry]
    ) -> (moved: [String: Date], kept: [String: Date]) {
        let names = Set(moved.compactMap(\.fact.statementName))
        return (statements.filter { names.contains($0.key) }, statements.filter { !names.contains($0.key) })
    }

    /// Returns the locks of products that a transfer moves by grandfathering grants. They remain with the first customer too. A
    /// receiving customer who has a grant of such a product without an end keeps that, and owns the product anyway.
    static func locks(
        of moved: [LedgerEntry], in entries: [LedgerEntry], for target: KnownCustomer
    ) -> [LedgerEntry] {
        func grant(_ entry: LedgerEntry) -> String? {
            if case .grant(let grant) = entry.fact { grant.productIdentifier } else { nil }
        }
        let own = target.facts.entries.filter {
            if case .grant(let grant) = $0.fact { grant.expirationDate == nil } else { false }
        }
        let products = Set(moved.compactMap(grant)).subtracting(own.compactMap(grant))
        return entries.filter { entry in
            if case .lock(let lock) = entry.fact { products.contains(lock.productIdentifier) } else { false }
        }
    }

    private func isMoved(_ purchase: Fact.AppPurchase) -> Bool {
        UnverifiedJWS(purchase.signedData)?.decode(AppTransactionPayload.self)?.appTransactionID
            .map { storeAccounts.contains($0) } ?? false
    }

    /// Indicates that a purchase goes with the parts, by a transaction that the store has signed.
    func isMoved(_ payload: TransactionPayload) -> Bool {
        if let onlyPurchase { return payload.purchaseID == onlyPurchase }
        if let named = payload.appAccountToken?.uuidString.lowercased() {
            if formerCustomers.contains(named) { return true }
            if ownNames.contains(named) { return false }
        }
        if let storeAccount = payload.appTransactionID { return storeAccounts.contains(storeAccount) }
        return purchases.contains(payload.originalTransactionID)
    }
}
