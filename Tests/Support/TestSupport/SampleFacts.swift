package import Foundation
package import VitrineCatalog
package import VitrineEntitlements

/// Facts for tests, with default values for irrelevant properties.
extension Fact {
    package static func bought(
        _ product: String, transaction: String, kind: ProductKind = .nonConsumable, quantity: Int = 1,
        signed: Date = Date(timeIntervalSince1970: 1_790_000_000), until period: Period? = nil,
        original: String? = nil, at date: Date = Date(timeIntervalSince1970: 1_790_000_000), contents: [String] = [],
        isFamilyShared: Bool = false
    ) -> Fact {
        .purchase(
            Purchase(
                origin: .of(product, transaction: transaction, original: original, signed: signed), kind: kind,
                quantity: quantity, purchaseDate: date, period: period, isFamilyShared: isFamilyShared,
                contents: contents))
    }

    package static func termed(_ product: String, transaction: String, signed: Date, until period: Period) -> Fact {
        .term(Term(origin: .of(product, transaction: transaction, signed: signed), period: period))
    }

    package static func renewed(
        _ product: String, transaction: String, isRenewing: Bool = true, original: String? = nil,
        signed: Date = Date(timeIntervalSince1970: 1_790_000_000), terms: RenewalTerms = RenewalTerms()
    ) -> Fact {
        let subscription = original ?? transaction
        var origin = Origin.of(product, transaction: transaction, original: subscription, signed: signed)
        origin.purchaseID = subscription
        return .renewal(Renewal(origin: origin, isRenewing: isRenewing, terms: terms))
    }

    package static func credited(
        _ amount: Int, to wallet: String = "coins", transaction: String, policy: RefundPolicy = .clawback
    ) -> Fact {
        .credit(
            Credit(
                purchaseID: transaction, productIdentifier: "pack", wallet: wallet, amount: amount,
                refundPolicy: policy))
    }

    package static func deposited(_ amount: Int, in wallet: String = "coins", token: String) -> Fact {
        .deposit(Deposit(token: token, wallet: wallet, amount: amount, reason: "a present"))
    }

    package static func spent(_ amount: Int, from wallet: String = "coins", token: String) -> Fact {
        .debit(Debit(token: token, wallet: wallet, amount: amount))
    }

    package static func revoked(
        _ product: String, transaction: String, original: String? = nil, units: Int? = nil,
        signed: Date = Date(timeIntervalSince1970: 1_790_100_000),
        at date: Date = Date(timeIntervalSince1970: 1_790_100_000), percentage: Int? = nil
    ) -> Fact {
        .revocation(
            Revocation(
                origin: .of(product, transaction: transaction, original: original ?? transaction, signed: signed),
                revocationDate: date, percentage: percentage,
                debited: units.map { WalletAmount(wallet: "coins", amount: $0) }))
    }

    package static func credited(_ product: String, transaction: String, units: Int? = nil, signed: Date) -> Fact {
        .reinstatement(
            Reinstatement(
                origin: .of(product, transaction: transaction, signed: signed),
                credited: units.map { WalletAmount(wallet: "coins", amount: $0) }))
    }

    package static func locked(_ product: String, token: String) -> Fact {
        .lock(Lock(token: token, productIdentifier: product, reason: "a mistake", author: "support"))
    }

    package static func firstGot(
        build: String, at date: Date = Date(timeIntervalSince1970: 1_556_668_800), platform: AppPlatform? = .iOS,
        signedDate: Date = Date(timeIntervalSince1970: 1_790_000_000)
    ) -> Fact {
        .appPurchase(
            AppPurchase(
                original: OriginalPurchase(version: build, date: date, platform: platform), environment: "Sandbox",
                signedDate: signedDate, signedData: "signed app"))
    }

    package static func receipt(_ digest: String) -> Fact {
        .receipt(
            Receipt(
                digest: digest, environment: "Sandbox", signedDate: Date(timeIntervalSince1970: 1_790_000_000),
                signedData: "signed receipt"))
    }

    /// Returns the same fact as if it was read from a receipt.
    package func read(from digest: String) -> Fact {
        func read(_ origin: inout Origin) { (origin.signedData, origin.receiptDigest) = ("", digest) }
        switch self {
        case .purchase(var purchase):
            read(&purchase.origin)
            return .purchase(purchase)
        case .term(var term):
            read(&term.origin)
            return .term(term)
        case .revocation(var revocation):
            read(&revocation.origin)
            return .revocation(revocation)
        case .reinstatement(var reinstatement):
            read(&reinstatement.origin)
            return .reinstatement(reinstatement)
        case .appPurchase(var purchase):
            (purchase.signedData, purchase.receiptDigest) = ("", digest)
            return .appPurchase(purchase)
        default: return self
        }
    }

    package static func installed(
        _ product: String, version: String = "1.0", digest: String? = String(repeating: "0a", count: 32)
    ) -> Fact {
        .content(
            Content(productIdentifier: product, version: version, digest: digest, path: "guides/\(product)"))
    }

    package static func given(
        _ product: String, token: String, reason: String = "a gift", until date: Date? = nil
    ) -> Fact {
        .grant(Grant(token: token, productIdentifier: product, reason: reason, expirationDate: date))
    }
}

extension Fact.Origin {
    package static func of(
        _ product: String, transaction: String, original: String? = nil,
        signed: Date = Date(timeIntervalSince1970: 1_790_000_000)
    ) -> Fact.Origin {
        Fact.Origin(
            purchaseID: transaction, originalTransactionID: original ?? transaction, transactionID: transaction,
            productIdentifier: product, environment: "Sandbox", signedDate: signed,
            signedData: "signed \(transaction)")
    }
}

extension EntitlementSnapshot {
    /// Creates the snapshot of entries at a date a few days after them.
    package init(catalog: Catalog?, entries: [LedgerEntry]) throws(LedgerError) {
        try self.init(catalog: catalog, entries: entries, at: Date(timeIntervalSince1970: 1_790_200_000))
    }
}
