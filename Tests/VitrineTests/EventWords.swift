import Purchasing
import Vitrine

extension [CatalogEvent] {
    var statuses: [Int] {
        compactMap { if case .statusChanged(let status) = $0 { status.rawValue } else { nil } }
    }

    var ownershipChanges: [[String]] {
        compactMap { if case .ownershipChanged(let identifiers) = $0 { identifiers } else { nil } }
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
        case .transactionUpdated(.received): "received"
        case .transactionUpdated(.verified): "verified"
        case .transactionUpdated(.recorded): "recorded"
        case .transactionUpdated(.finished): "finished"
        case .walletChanged(let key, .known(let units)): "wallet \(key): \(units)"
        case .purchaseAnswered: "answered"
        default: "\(self)"
        }
    }
}
