internal import Foundation
internal import VitrineCatalog
package import VitrineCatalogLoading
internal import VitrineEntitlements
internal import VitrineHostedContent
internal import VitrinePurchasing
internal import VitrineReceipts

extension LoadingStatus {
    package var words: String {
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
    package var words: String {
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
    package var words: String {
        switch self {
        case .loading(.statusChanged(let status)): "status \(status.rawValue) \(status.words)"
        case .loading(.requestStatusChanged(let status)): "status of the product request: \(status.rawValue)"
        case .loading(.catalogUpdated(let catalog)): "catalog updated: \(catalog.products.count.products)"
        case .loading(.catalogFailed(let error)): "the catalog could not be loaded: \(error)"
        case .loading(.catalogNotRefreshed(let error, let loaded)):
            "the remote catalog could not be fetched; using \(loaded.origin.words): \(error)"
        case .loading(.cacheFailed(let error)): "the catalog cache cannot be used: \(error)"
        case .loading(.productsUpdated(let invalid)):
            "the store's products were updated"
                + (invalid.isEmpty ? "" : "; unknown to the store: \(invalid.joined(separator: ", "))")
        case .loading(.productsFailed(let error)): "the product request failed: \(error)"
        case .listingChanged(let listings): "listing changed: \(listings.map(\.id).joined(separator: ", "))"
        case .eventsMissed(let count): "\(count) events were not reported, because they were not read in time"
        case .loading(.storedProductsFailed(let error)): error.reason
        case .loading(.productsNotStored(let error)): "the store's response could not be cached: \(error)"
        case .loading(.retryScheduled(let date, let failure)):
            "next load at \(date.formatted(.iso8601)), because of a failure: \(failure)"
        case .transaction(let step): step.words
        case .loading(.subscriptionsFailed(let error)): "subscriptions cannot be read from the store: \(error)"
        case .loading(.unfinishedTransactionsFailed(let error)): "unfinished transactions cannot be read: \(error)"
        case .entitlements(.ownershipChanged(let identifiers)):
            "ownership changed: \(identifiers.joined(separator: ", "))"
        case .entitlements(.subscriptionChanged(let subscription)): "subscription \(subscription.words)"
        case .entitlements(.originalPurchaseKnown(let purchase)): "app first installed \(purchase.words)"
        case .entitlements(.appTransactionFailed(let failure)):
            "the first installation of the app is unknown: \(failure)"
        case .receipt(.validated(let signed)):
            "the app receipt of \(signed.receipt.creationDate.minute) is valid, purchases in it: "
                + "\(signed.receipt.purchases.count)"
        case .receipt(.validationFailed(let failure)): "no valid app receipt: \(failure)"
        case .receipt(.purchaseNotRecorded(let unrecorded)):
            "transaction \(unrecorded.purchase.transactionID) in the app receipt is not recorded: \(unrecorded.reason)"
        case .content(.failed(let error)): "hosted content cannot be used: \(error)"
        case .content(.mayBeBackedUp(let gap)): "\(gap)"
        case .content(.downloadUpdated(let status)): "download of \(status.id): \(status.words)"
        case .content(.installed(let content)):
            "content installed: \(content.productIdentifier), version \(content.version)"
        case .content(.removed(let products)): "content removed: \(products.joined(separator: ", "))"
        case .content(.imageFailed(let address, let error)): "the image \(address) cannot be used: \(error)"
        case .content(.imagesNotCached(let error)): "images cannot be cached: \(error)"
        case .entitlements(.walletChanged(let key, let balance)): "wallet \(key): \(balance.words)"
        case .ledger(.lossChanged(let loss?)): "the ledger was lost: \(loss.reason)"
        case .ledger(.lossChanged(nil)): "the loss of the ledger is settled"
        case .ledger(.rebuilt(let result)): "the ledger was rebuilt from the store: \(result.restored.count) restored"
        case .ledger(.legacyLibraryImported(let library, let state)):
            "imported from the legacy library \(library.rawValue): \(state.owned.count.products), "
                + "\(state.balances.count) wallets"
        case .purchase(.promoted(let identifier)): "the customer has started a purchase in the store: \(identifier)"
        case .ledger(.failed(let error)): "the ledger cannot be used: \(error)"
        case .ledger(.notTrusted(let entry)):
            "the ledger may be that of another store: entry \(entry.sequence) cannot be trusted: \(entry.reason); "
                + "'vitrine check' examines all entries"
        case .purchase(.answered(let identifier, let answer)): "purchase of \(identifier): \(answer.word)"
        case .purchase(.completed(let signed)):
            "purchase of \(signed.payload.productIdentifier) complete: transaction \(signed.payload.transactionID)"
        case .restore(.completed(let result)):
            "restore finished: \(result.restored.count) restored, \(result.alreadyOwned.count) already owned, "
                + "\(result.failed.count) failed"
        case .restore(.failed(let error)): "restore failed: \(error)"
        }
    }
}

extension CatalogEvent {
    /// Warning about the event that is printed even without `--verbose`, such as for a paid purchase that is not
    /// delivered.
    package var remark: String? {
        switch self {
        case .transaction(.waiting), .transaction(.rejected), .transaction(.notFinished),
            .transaction(.renewalIgnored), .ledger(.lossChanged), .ledger(.notTrusted),
            .loading(.catalogNotRefreshed), .loading(.cacheFailed), .ledger(.failed), .loading(.storedProductsFailed),
            .loading(.productsNotStored), .content(.failed),
            .entitlements(.appTransactionFailed), .receipt(.purchaseNotRecorded):
            words
        default: nil
        }
    }
}

extension CatalogEvent {
    /// Error text of an event that reports a failure to read or write on this machine; `nil` for other events.
    package var storageFailure: String? {
        switch self {
        case .transaction(.notFinished(_, let error)) where error.code == .storage: words
        case .transaction(.waiting(_, .ledger(let error))) where error.code == .unavailable: words
        case .transaction(.waiting(_, .content(let error))) where error.code == .storage: words
        case .loading(.unfinishedTransactionsFailed(let error)) where error.code == .storage: words
        case .loading(.productsFailed(let error)) where error.code == .storage: words
        case .entitlements(.appTransactionFailed(.store(let error))) where error.code == .storage: words
        case .receipt(.validationFailed(.store(let error))) where error.code == .storage: words
        case .content(.failed(let error)) where error.code == .storage: words
        case .ledger(.failed(let error)) where error.code == .unavailable: words
        default: nil
        }
    }
}

extension TransactionStep {
    fileprivate var words: String {
        switch self {
        case .received(let transaction): "transaction \(transaction.id) received"
        case .verified(let signed):
            "transaction \(signed.payload.transactionID) verified: \(signed.payload.productIdentifier)"
        case .recorded(let signed, let isNew):
            "transaction \(signed.payload.transactionID) " + (isNew ? "recorded" : "was already recorded")
        case .revoked(let signed, let isNew):
            "transaction \(signed.payload.transactionID) revoked: \(signed.payload.productIdentifier)"
                + (isNew ? "" : ", already recorded")
        case .contentInstalled(let signed, let products):
            "the content of transaction \(signed.payload.transactionID) is installed: "
                + products.joined(separator: ", ")
        case .finished(let signed): "transaction \(signed.payload.transactionID) finished"
        case .notFinished(let signed, let error):
            "transaction \(signed.payload.transactionID) could not be finished: \(error)"
        case .waiting(let transaction, let reason): "transaction \(transaction.id) waits: \(reason)"
        case .rejected(let transaction, let reasons):
            "transaction \(transaction.id) rejected: \(reasons.joinedReasons)"
        case .renewalIgnored(let signed, let reason):
            "renewal data of transaction \(signed.payload.transactionID) is ignored: \(reason)"
        case .discarded(let transaction): "transaction \(transaction.id) discarded"
        }
    }
}
