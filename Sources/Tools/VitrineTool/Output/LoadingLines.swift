import Foundation
import Vitrine
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrinePurchasing
import VitrineSupport

extension CatalogEvent {
    /// Returns lines of text about the progress of loading the products.
    func loadingLines(_ manager: CatalogManager) -> [String] {
        switch self {
        case .loading(.statusChanged(.listLoaded)): ["1 list loaded: \(manager.listing.count.products)"]
        case .loading(.statusChanged(.productsLoaded)):
            manager.listing.compactMap { listing in
                guard case .notOffered(let reason) = listing.offer, reason.isForDeveloper else { return nil }
                return "  \(listing.id) is not offered: \(reason)"
            } + ["2 products loaded: \(manager.products.count) offered"]
        case .loading(.statusChanged(let status)): ["\(status.rawValue) \(status.description)"]
        case .loading(.productsUpdated(let invalid)): invalid.map { "  \($0) is unknown to the store and not offered" }
        case .loading(.catalogFailed(let error)): ["  \(error)"]
        case .loading(.productsFailed(let error)), .loading(.purchasesFailed(let error)): ["  \(error)"]
        case .restore(.found(let result)):
            result.restored.map { "  \($0) was bought before and is owned" }
                + result.revoked.map { "  \($0) was revoked by the store" }
                + result.failed.map { "  transaction \($0.transactionID) is not recorded: \($0.reason)" }
        case .loading(.retryScheduled(let date, _)): ["  next load at \(date.second)"]
        case .receipt(.validated), .receipt(.validationFailed): ["  \(text)"]
        case .purchase(.answered(let identifier, let answer)):
            ["  \(identifier), requested in the store: \(answer.result)"]
        default: []
        }
    }

    /// Prints the diagnostics of a loaded or rejected catalog to standard error.
    ///
    /// - Parameter home: Storage directory whose manager sent the event.
    func passFindings(of home: OpenHome) {
        switch self {
        case .loading(.catalogUpdated(let catalog)):
            let path = home.catalogPath
            for line in catalog.generalDiagnostics.flatMap({ $0.lines(path: path) }) { Console.pass(line) }
        case .loading(.catalogFailed(let error)):
            for line in error.lines(path: error.path) { Console.pass(line) }
        case .loading(.catalogNotRefreshed(let error, _)):
            for line in error.diagnostics.flatMap({ $0.lines(path: error.path) }) { Console.pass(line) }
        default: break
        }
    }
}

extension NotOfferedReason {
    /// `true` if only the developer can make the product available, by correcting the catalog, the store's products or
    /// the content, and no other line of the output reports this.
    fileprivate var isForDeveloper: Bool {
        switch self {
        case .noContent, .noContentURL, .noWallet, .noDuration, .kindMismatch, .unknownKind, .uncreditedValue: true
        case .productsNotLoaded, .notReturnedByStore, .catalogOutOfDate, .unknownToStore, .alreadyOwned,
            .purchasesNotRead, .ownershipUnknown, .enoughChildrenOwned, .appTooOld, .purchasesNotAllowed:
            false
        }
    }
}

extension CatalogError {
    fileprivate var path: String { url.isFileURL ? url.relativePath : url.absoluteString }
}
