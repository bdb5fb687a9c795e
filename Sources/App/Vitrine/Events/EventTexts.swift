internal import Foundation
internal import VitrineCatalogLoading
internal import VitrineEntitlements
internal import VitrineHostedContent
internal import VitrinePurchasing
internal import VitrineReceipts

extension LoadingStatus {
    package var description: String {
        switch self {
        case .productsLoading: "products loading"
        case .listLoaded: "list loaded"
        case .productsLoaded: "products loaded"
        case .listLoadFailed: "list load failed"
        case .productsLoadFailed: "products load failed"
        }
    }
}

extension LoadedCatalog.Origin {
    var description: String {
        switch self {
        case .code: "the catalog made in code"
        case .file(let url): url.relativePath
        case .cache: "the cached catalog"
        case .remote: "the remote catalog"
        }
    }
}

extension CatalogEvent {
    /// `true` if the event is a consequence of another event that is reported as well.
    package var followsFromAnother: Bool {
        switch self {
        case .listingChanged, .loading(.requestStatusChanged): true
        default: false
        }
    }

    /// Text of the event in one line, which `--verbose` prints.
    package var text: String { description.line }
}

extension CatalogEvent {
    /// Warning about the event that is printed even without `--verbose`, such as for a paid purchase that is not
    /// delivered.
    package var remark: String? {
        switch self {
        case .transaction(.notFinished(let signed, let error)):
            "\(signed.payload.productIdentifier) (transaction \(signed.payload.transactionID)) is recorded, but not yet "
                + "finished with the store: \(error.reason); the next load finishes it"
        case .transaction(.waiting), .transaction(.rejected), .transaction(.renewalIgnored), .ledger(.lossChanged),
            .loading(.catalogNotRefreshed), .loading(.cacheFailed), .ledger(.failed), .loading(.storedProductsFailed),
            .loading(.productsNotStored), .content(.failed), .entitlements(.appTransactionFailed),
            .receipt(.purchaseNotRecorded), .loading(.purchasesFailed):
            text
        case .entitlements(.accountChanged(let former, let account)):
            "the App Store account has changed from \(former) to \(account)"
        case .ledger(.notTrusted): "\(text); 'vitrine check' examines all entries"
        default: nil
        }
    }
}

extension CatalogEvent {
    /// Error text of an event that reports a failure to read or write on this machine; `nil` for other events.
    package var storageFailure: String? {
        switch self {
        case .transaction(.notFinished(_, let error)) where error.code == .storage: text
        case .transaction(.waiting(_, .ledger(let error))) where error.code == .unavailable: text
        case .transaction(.waiting(_, .content(let error))) where error.code == .storage: text
        case .loading(.unfinishedTransactionsFailed(let error)) where error.code == .storage: text
        case .loading(.productsFailed(let error)) where error.code == .storage: text
        case .loading(.subscriptionsFailed(let error)) where error.code == .storage: text
        case .entitlements(.appTransactionFailed(.store(let error))) where error.code == .storage: text
        case .receipt(.validationFailed(.store(let error))) where error.code == .storage: text
        case .content(.failed(let error)) where error.code == .storage: text
        case .ledger(.failed(let error)) where error.code == .unavailable: text
        default: nil
        }
    }
}
