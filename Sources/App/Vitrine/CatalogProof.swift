internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements

/// Checker of values that the store does not sign, such as the amount of a credit, against the loaded catalog.
struct CatalogProof {
    private let catalog: Catalog?
    /// Purchases by purchase ID, as the ledger has recorded them or would record them.
    private var purchases: [String: Fact.Purchase] = [:]
    private let recorded: [Fact.Kind: [String: Fact]]

    /// Creates the checker for an imported document.
    ///
    /// - Parameters:
    ///   - recorded: Entries of the ledger that imports the document.
    ///   - entries: Entries of the document, whose signed data is valid.
    init(catalog: Catalog?, recorded: [LedgerEntry], importing entries: [LedgerEntry]) {
        self.catalog = catalog
        self.recorded = Dictionary(grouping: recorded.map(\.fact), by: \.kind)
            .mapValues { Dictionary($0.map { ($0.key, $0) }) { first, _ in first } }
        for case .purchase(let purchase) in (recorded + entries).map(\.fact)
        where purchases[purchase.origin.purchaseID] == nil {
            purchases[purchase.origin.purchaseID] = purchase
        }
    }

    /// Returns the reason why a fact has no proof; `nil` if its signed purchase and the catalog prove it, if it gives
    /// the customer nothing, or if it is recorded already.
    func doubt(about fact: Fact) -> String? {
        switch fact {
        case .grant(let grant) where !isRecorded(fact):
            "the store does not sign grants, and the entry grants \(grant.productIdentifier)"
        case .deposit(let deposit) where !isRecorded(fact):
            "the store does not sign deposits, and the entry adds \(deposit.amount) to the wallet "
                + "\"\(deposit.wallet)\""
        case .credit(let credit) where !isRecorded(fact): doubt(about: credit)
        case .purchase(let purchase): doubt(about: purchase)
        default: nil
        }
    }

    /// Returns the reason why a fact has no exact proof. Unlike ``doubt(about:)``, it also refuses a fact that gives
    /// the customer less than the catalog, such as missing contents of a bundle or an earlier end.
    func exactDoubt(about fact: Fact) -> String? {
        if let doubt = doubt(about: fact) { return doubt }
        switch fact {
        case .purchase(let purchase) where !isRecorded(fact):
            if Set(purchase.contents) != Set(catalog?.contents(of: purchase.productIdentifier) ?? []) {
                return "no loaded catalog confirms what \(purchase.productIdentifier) contains"
            }
            guard purchase.kind == .nonRenewingSubscription else { return nil }
            let end = end(of: purchase)
            return end?.milliseconds == purchase.period?.end.milliseconds
                ? nil : "no loaded catalog confirms the duration that the entry gives for \(purchase.productIdentifier)"
        default: return nil
        }
    }

    /// Returns the reason why a credit contradicts the recorded credit for the same purchase; `nil` if both are equal,
    /// or none is recorded.
    func contradiction(of credit: Fact.Credit) -> String? {
        guard case .credit(let recorded) = recorded[.credit]?[credit.purchaseID],
            recorded.wallet != credit.wallet || recorded.amount != credit.amount
        else { return nil }
        return "the entry credits \(credit.units) for the purchase \(credit.purchaseID), "
            + "but this ledger has recorded \(recorded.units)"
    }

    /// Returns the end of a non-renewing subscription that the loaded catalog gives for a purchase.
    private func end(of purchase: Fact.Purchase) -> Date? {
        catalog?[purchase.productIdentifier]?.durations
            .end(boughtAt: purchase.purchaseDate, quantity: purchase.quantity)
    }

    private func isRecorded(_ fact: Fact) -> Bool { recorded[fact.kind]?[fact.key] != nil }

    private func doubt(about credit: Fact.Credit) -> String? {
        guard let purchase = purchases[credit.purchaseID] else { return "the purchase of the credit is missing" }
        guard let catalog else { return "no catalog is loaded that says how many units the purchase credits" }
        guard let proved = Fact.Credit(for: purchase, under: catalog) else {
            return "the loaded catalog credits nothing for \(purchase.productIdentifier)"
        }
        guard credit.wallet == proved.wallet, credit.amount == proved.amount,
            credit.productIdentifier == proved.productIdentifier
        else {
            return "the entry credits \(credit.units) for \(credit.productIdentifier), but the loaded catalog credits "
                + "\(proved.units) for the purchase of \(proved.productIdentifier)"
        }
        guard credit.refundPolicy == proved.refundPolicy else {
            return "the refund policy of the credit is \(credit.refundPolicy.rawValue), "
                + "but that of the wallet in the loaded catalog is \(proved.refundPolicy.rawValue)"
        }
        return nil
    }

    /// Returns the reason why the loaded catalog does not confirm the contents of a purchase, or the end of a
    /// non-renewing subscription; `nil` if it confirms them. The store does not sign these values.
    private func doubt(about purchase: Fact.Purchase) -> String? {
        var known: Fact.Purchase?
        if case .purchase(let earlier) = recorded[.purchase]?[purchase.origin.purchaseID] { known = earlier }
        let contents = Set(catalog?.contents(of: purchase.productIdentifier) ?? []).union(known?.contents ?? [])
        if let surplus = purchase.contents.first(where: { !contents.contains($0) }) {
            return "no loaded catalog confirms that \(purchase.productIdentifier) contains \(surplus)"
        }
        guard purchase.kind == .nonRenewingSubscription, known == nil || known?.period != purchase.period else {
            return nil
        }
        if let recorded = known?.period?.end, let said = purchase.period?.end, said < recorded { return nil }
        // Without a history, the present duration says nothing about an earlier purchase.
        let hasHistory = catalog?[purchase.productIdentifier]?.durations.hasHistory == true
        let end = known == nil || hasHistory ? end(of: purchase) : nil
        guard let end, let said = purchase.period?.end, said.milliseconds <= end.milliseconds else {
            return "no loaded catalog confirms the duration that the entry gives for \(purchase.productIdentifier)"
        }
        return nil
    }
}

extension Catalog {
    /// Returns the identifiers of all products that a product contains, directly or through other bundles.
    fileprivate func contents(of identifier: String) -> [String] {
        index(of: identifier).map { bundles.descendants(of: $0).dropFirst().map { products[$0].identifier } } ?? []
    }
}

extension Fact.Credit {
    /// Creates the credit that a purchase earns under a catalog.
    ///
    /// - Returns: `nil` if the catalog credits nothing for the purchase.
    init?(for purchase: Fact.Purchase, under catalog: Catalog) {
        guard purchase.mayCreditUnits, let product = catalog[purchase.productIdentifier],
            product.kind == purchase.kind || product.kind == .unknown,
            let (wallet, amount) = product.credit(forQuantity: purchase.quantity)
        else { return nil }
        self.init(
            purchaseID: purchase.origin.purchaseID, productIdentifier: product.identifier, wallet: wallet,
            amount: amount, refundPolicy: (catalog.wallets[wallet] ?? CatalogWallet()).refundPolicy)
    }

    /// Wallet and number of units, as part of a sentence.
    var units: String { "\(amount) of \"\(wallet)\"" }
}
