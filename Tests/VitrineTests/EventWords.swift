import HostedContent
import ProductCatalog
import Purchasing
import Vitrine

extension [CatalogEvent] {
    var statuses: [Int] {
        compactMap { if case .statusChanged(let status) = $0 { status.rawValue } else { nil } }
    }

    var ownershipChanges: [[String]] {
        compactMap { if case .ownershipChanged(let identifiers) = $0 { identifiers } else { nil } }
    }

    /// What purchases came to.
    var answers: [String] {
        compactMap { if case .purchaseAnswered(_, let answer) = $0 { answer.word } else { nil } }
    }

    var restores: [RestoreResult] {
        compactMap { if case .restoreAnswered(let result) = $0 { result } else { nil } }
    }

    var restoreFailures: [StoreError.Code] {
        compactMap { if case .restoreFailed(let error) = $0 { error.code } else { nil } }
    }

    var downloads: [DownloadStatus] {
        compactMap { if case .downloadUpdated(let status) = $0 { status } else { nil } }
    }

    /// What came of asking the store about products.
    var storeAnswers: [String] {
        compactMap { event in
            switch event {
            case .productsUpdated(let unknown): "unknown: \(unknown.map(\.name).joined(separator: " "))"
            case .productsFailed(let error): "failed: \(error.code)"
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
        }
    }
}

extension [CatalogEvent] {
    /// What has happened, without what is shown otherwise because of it.
    var words: [String] {
        compactMap { if case .listingChanged = $0 { nil } else { $0.word } }
    }
}

extension CatalogEvent {
    var word: String {
        switch self {
        case .statusChanged(let status): "status \(status.rawValue)"
        case .listUpdated: "list"
        case .productsUpdated: "products"
        case .productsFailed: "no products"
        case .listingChanged(let changed): "listing of \(changed.count)"
        case .retryScheduled: "retry planned"
        case .transactionUpdated(.received): "received"
        case .transactionUpdated(.verified): "verified"
        case .transactionUpdated(.recorded): "recorded"
        case .transactionUpdated(.revoked): "revoked"
        case .transactionUpdated(.contentInstalled): "has its content"
        case .transactionUpdated(.finished): "finished"
        case .ownershipChanged(let changed): "ownership of \(changed.count)"
        case .downloadUpdated(let download): "download \(download.state)"
        case .contentInstalled: "content installed"
        case .walletChanged(let key, .known(let units)): "wallet \(key): \(units)"
        case .purchaseAnswered: "answered"
        case .restoreAnswered: "restored"
        case .restoreFailed: "not restored"
        default: "\(self)"
        }
    }
}
