import Entitlements
import Foundation
import ProductCatalog

/// A product's ownership for scripts.
struct OwnedDocument: Encodable {
    struct Reason: Encodable {
        /// `transaction`, `grant` or `bundle`.
        let kind: String
        var transaction: String?
        var bundle: String?
        var reason: String?
        var date: Date?
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
            case .transaction(let id, let date): Reason(kind: "transaction", transaction: id, date: date)
            case .grant(let reason, let date): Reason(kind: "grant", reason: reason, date: date)
            case .bundle(let identifier): Reason(kind: "bundle", bundle: identifier)
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

    /// The answer in a few words, for a product of a catalog.
    func words(_ identifier: String, in catalog: Catalog?) -> String {
        switch self {
        case .owned(let reasons): reasons.map(\.words).joined(separator: "; ")
        case .notOwned: catalog?[identifier] == nil ? "not in the catalog, and not owned" : "not owned"
        case .unknown(let reason): "unknown: \(reason.words)"
        }
    }
}
