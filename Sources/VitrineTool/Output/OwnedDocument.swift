import Entitlements
import Foundation
import ProductCatalog

/// JSON document of a product's ownership.
struct OwnedDocument: Encodable {
    struct Reason: Encodable {
        /// `transaction`, `grant`, `bundle` or `formerBundle`.
        let kind: String
        var transaction: String?
        var bundle: String?
        var reason: String?
        var author: String?
        var date: Date?
        var until: Date?
        var gracePeriod: Bool?
        var familyShared: Bool?
    }

    let product: String
    /// `yes`, `no` or `unknown`.
    let owned: String
    let because: [Reason]
    let unknownBecause: String?

    init(_ identifier: String, _ ownership: Ownership) {
        product = identifier
        owned = ownership.word
        unknownBecause =
            if case .unknown(let reason) = ownership { reason.words } else { nil }
        because = ownership.reasons.map { reason in
            switch reason {
            case .transaction(let transaction):
                Reason(
                    kind: "transaction", transaction: transaction.id, date: transaction.purchaseDate,
                    until: transaction.expirationDate, gracePeriod: transaction.isInGracePeriod ? true : nil,
                    familyShared: transaction.isFamilyShared ? true : nil)
            case .grant(let reason, let author, let date, let until):
                Reason(
                    kind: "grant", reason: reason, author: author.isEmpty ? nil : author, date: date, until: until)
            case .bundle(let identifier): Reason(kind: "bundle", bundle: identifier)
            case .formerBundle(let identifier, let transaction, let date):
                Reason(kind: "formerBundle", transaction: transaction, bundle: identifier, date: date)
            }
        }
    }
}

extension Ownership {
    var word: String {
        switch self {
        case .owned: "yes"
        case .notOwned: "no"
        case .unknown: "unknown"
        }
    }

    var exitStatus: ExitStatus {
        switch self {
        case .owned: .yes
        case .notOwned: .no
        case .unknown: .unknown
        }
    }

    var reasons: [Reason] {
        if case .owned(let reasons) = self { reasons } else { [] }
    }

    /// Returns a short description of the ownership of a product.
    func words(_ identifier: String, in catalog: Catalog?) -> String {
        switch self {
        case .owned(let reasons): reasons.map(\.words).joined(separator: "; ")
        case .notOwned: catalog?[identifier] == nil ? "not in the catalog, and not owned" : "not owned"
        case .unknown(let reason): "unknown: \(reason.words)"
        }
    }
}
