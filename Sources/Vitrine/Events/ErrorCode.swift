internal import Entitlements
internal import HostedContent
internal import ProductCatalog
internal import Purchasing
internal import Receipts

/// What kind of failure an error is, in a word that names nobody.
enum ErrorCode {
    static func of(_ error: any Error) -> String {
        switch error {
        case let error as StoreError: error.code.description
        case let error as LedgerError: error.code.description
        case let error as CatalogError: error.code.description
        case let error as ContentError: error.code.description
        case let error as ContentProviderError: error.code.description
        case let error as ImageError: error.code.description
        case let error as PurchaseFailure: error.code.description
        case let error as LoadFailure: of(error)
        case let error as ReceiptFailure: of(error)
        case let error as AppTransactionFailure: of(error)
        default: "\(type(of: error))"
        }
    }

    private static func of(_ failure: LoadFailure) -> String {
        switch failure {
        case .catalog(let error): error.code.description
        case .products(let error): error.code.description
        }
    }

    private static func of(_ failure: ReceiptFailure) -> String {
        switch failure {
        case .missing: "missing"
        case .rejected(let reasons): reasons.codes
        case .undetermined: "undetermined"
        case .store(let error): error.code.description
        }
    }

    private static func of(_ failure: AppTransactionFailure) -> String {
        switch failure {
        case .store(let error): error.code.description
        case .rejected(let reasons): reasons.codes
        case .undetermined: "undetermined"
        }
    }
}

extension [RejectionReason] {
    /// The codes of all reasons.
    var codes: String { map(\.code.description).joined(separator: " ") }
}

extension WaitingReason {
    /// Why, in a word that names nobody.
    var code: String {
        switch self {
        case .verification: "verification"
        case .catalogNotLoaded: "catalog-not-loaded"
        case .unknownProduct: "unknown-product"
        case .kindMismatch: "kind-mismatch"
        case .noWallet: "no-wallet"
        case .unknownKind: "unknown-kind"
        case .noDuration: "no-duration"
        case .ledger(let error): error.code.description
        case .content(let error): error.code.description
        case .handler: "handler"
        }
    }
}

extension PendingReason {
    /// Why, in a word that names nobody.
    var code: String {
        switch self {
        case .askToBuy: "ask-to-buy"
        case .outcomeUnknown: "outcome-unknown"
        case .verification: "verification"
        case .content(let error): error.code.description
        case .delivery(let reason): reason.code
        }
    }

    /// Why, as the rest of a sentence.
    var words: String {
        switch self {
        case .askToBuy: "the purchase has to be approved"
        case .outcomeUnknown(let error): error.reason
        case .verification(let reason): reason
        case .content(let error): error.reason
        case .delivery(let reason): reason.description
        }
    }
}
