import Vitrine
import VitrineCatalog
import VitrineHostedContent
import VitrinePurchasing
import VitrineReceipts

extension [CatalogEvent] {
    var statuses: [Int] {
        compactMap { if case .loading(.statusChanged(let status)) = $0 { status.rawValue } else { nil } }
    }

    var requestStatuses: [RequestStatus] {
        compactMap { if case .loading(.requestStatusChanged(let status)) = $0 { status } else { nil } }
    }

    var ownershipChanges: [[String]] {
        compactMap { if case .entitlements(.ownershipChanged(let identifiers)) = $0 { identifiers } else { nil } }
    }

    /// Results of purchases, each as one word.
    var answers: [String] {
        compactMap { if case .purchase(.answered(_, let answer)) = $0 { answer.word } else { nil } }
    }

    /// Identifiers of transactions that were completed without a waiting call.
    var completions: [String] {
        compactMap { if case .purchase(.completed(let signed)) = $0 { signed.payload.transactionID } else { nil } }
    }

    var restores: [RestoreResult] {
        compactMap { if case .restore(.completed(let result)) = $0 { result } else { nil } }
    }

    var restoreFailures: [StoreError.Code] {
        compactMap { if case .restore(.failed(let error)) = $0 { error.code } else { nil } }
    }

    var downloads: [DownloadStatus] {
        compactMap { if case .content(.downloadUpdated(let status)) = $0 { status } else { nil } }
    }

    /// Results of requests to the store for products.
    var storeSnapshots: [String] {
        compactMap { event in
            switch event {
            case .loading(.productsUpdated(let unknown)): "unknown: \(unknown.map(\.name).joined(separator: " "))"
            case .loading(.productsFailed(let error)): "failed: \(error.code)"
            default: nil
            }
        }
    }
}

extension PurchaseAnswer {
    var word: String {
        switch self {
        case .success(_, let notChargedAgain): notChargedAgain ? "not charged again" : "charged"
        case .failed(let failure): "\(failure.code)"
        case .pending: "pending"
        case .cancelled: "cancelled"
        }
    }
}

extension LoadFailure {
    var word: String {
        switch self {
        case .catalog(let error): "catalog \(error.code)"
        case .products(let error): "products \(error.code)"
        case .purchases(let error): "purchases \(error.code)"
        }
    }
}

extension [CatalogEvent] {
    /// Descriptions of the events, without changes of the listing and of the request status.
    var names: [String] {
        compactMap { event in
            switch event {
            case .listingChanged, .loading(.requestStatusChanged): nil
            default: event.word
            }
        }
    }
}

extension CatalogEvent {
    var word: String {
        switch self {
        case .loading(.statusChanged(let status)): "status \(status.rawValue)"
        case .loading(.requestStatusChanged(let status)): "request \(status.rawValue)"
        case .loading(.catalogUpdated): "list"
        case .loading(.productsUpdated): "products"
        case .loading(.productsFailed): "no products"
        case .listingChanged(let changed): "listing of \(changed.count)"
        case .loading(.retryScheduled): "retry planned"
        case .loading(.unfinishedTransactionsFailed): "unfinished transactions failed"
        case .transaction(.received): "received"
        case .transaction(.verified): "verified"
        case .transaction(.recorded): "recorded"
        case .transaction(.revoked): "revoked"
        case .transaction(.contentInstalled): "has its content"
        case .transaction(.finished): "finished"
        case .entitlements(.ownershipChanged(let changed)): "ownership of \(changed.count)"
        case .content(.downloadUpdated(let download)): "download \(download.state)"
        case .content(.installed): "content installed"
        case .entitlements(.walletChanged(let key, .known(let units))): "wallet \(key): \(units)"
        case .purchase(.answered): "answered"
        case .purchase(.completed): "completed"
        case .restore(.completed): "restored"
        case .restore(.found): "found"
        case .restore(.failed): "not restored"
        default: "\(self)"
        }
    }
}
