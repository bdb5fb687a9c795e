internal import VitrineCatalog

/// Sentence with which customers are told in their language that a purchase or a request to the store has failed.
package enum FailurePhrase: String, Sendable, CaseIterable {
    case cancelled, notForSale, alreadyOwned, inProgress, offerNotValid
    case storeUnreachable, purchasesNotAllowed
    /// Sentence about a purchase for which the customer may or may not have been charged.
    case outcomeUnknown
    /// The request has failed, and nothing was charged.
    case failed
    case storage, notTrusted, revoked

    /// Returns the sentence in the first of a customer's languages that is supported, or else in English.
    ///
    /// - Parameter languages: BCP 47 tags, in order of preference.
    package func text(for languages: [String]) -> String {
        Self.table.text(self, in: Self.table.language(for: languages))
    }

    private static let table = PhraseTable(european.merging(others) { first, _ in first })

    /// Supported languages, as BCP 47 tags.
    package static var languages: [String] { table.languages }
}

extension PurchaseFailureCode {
    public func customerText(for languages: [String]) -> String? {
        let phrase: FailurePhrase =
            switch self {
            case .cancelled: .cancelled
            case .notInCatalog, .notOffered, .notAvailable: .notForSale
            case .alreadyOwned: .alreadyOwned
            case .inProgress: .inProgress
            case .notAllowed: .purchasesNotAllowed
            case .invalidOffer: .offerNotValid
            case .network: .storeUnreachable
            case .outcomeUnknown, .otherProduct: .outcomeUnknown
            case .invalidQuantity, .store, .withinHook: .failed
            case .storage, .ledger: .storage
            case .rejected: .notTrusted
            case .revoked: .revoked
            }
        return phrase.text(for: languages)
    }
}

extension StoreErrorCode {
    public func customerText(for languages: [String]) -> String? {
        let phrase: FailurePhrase =
            switch self {
            case .unavailable, .network, .emptyAnswer: .storeUnreachable
            case .storage: .storage
            case .productNotAvailable: .notForSale
            case .notAllowed: .purchasesNotAllowed
            case .invalidOffer: .offerNotValid
            case .invalidQuantity, .notSubmitted, .withinHook: .failed
            }
        return phrase.text(for: languages)
    }
}
