internal import Foundation
internal import Logging
internal import VitrineCatalog
internal import VitrineCatalogLoading
internal import VitrineEntitlements
public import VitrineHostedContent
public import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// Change or failure that an app may act on. A manager sends its events in the order in which the changes happened.
public enum CatalogEvent: Sendable {
    /// Step of loading the catalog and the store's products.
    case loading(Loading)
    /// Listings that have changed, in the order of the catalog.
    case listingChanged([ProductListing])
    /// Step in the delivery of a transaction.
    case transaction(TransactionStep)
    /// Request for a purchase, or its result.
    case purchase(Purchase)
    /// Result of a restore.
    case restore(Restore)
    /// Change of the customer's ownership, subscriptions, wallets or original purchase.
    case entitlements(Entitlements)
    /// Result of reading the app receipt.
    case receipt(Receipt)
    /// Change of hosted content or of images.
    case content(Content)
    /// Change or failure of the ledger.
    case ledger(Ledger)
    /// Number of events that this listener lost, because it read them too slowly. The manager has the current state.
    case eventsMissed(Int)
}

extension CatalogEvent {
    /// Description of the event: its text, products and error.
    var description: EventDescription {
        switch self {
        case .loading(let event): event.description
        case .listingChanged(let listings):
            EventDescription(
                .debug, "product listing changed", products: listings.map(\.id), listed: .nowhere,
                facts: [("count", "\(listings.count)")])
        case .transaction(let step): step.description
        case .purchase(let event): event.description
        case .restore(let event): event.description
        case .entitlements(let event): event.description
        case .receipt(let event): event.description
        case .content(let event): event.description
        case .ledger(let event): event.description
        case .eventsMissed(let count):
            EventDescription(.warning, "events missed by a listener", facts: [("count", "\(count)")])
        }
    }

    /// Identifiers of the products that the event concerns; empty for an event that concerns all of them, or none. A
    /// transaction that may not be verified (received, waiting, rejected or discarded) is listed under the product that
    /// it claims.
    public var products: [String] { description.products }

    /// Error that the event reports; `nil` for an event that reports none.
    public var error: (any Error)? { description.error }
}

extension CatalogEvent {
    /// Change of hosted content or of images.
    public enum Content: Sendable {
        /// New state or progress of a download; progress is reported a few times a second at most.
        case downloadUpdated(DownloadStatus)
        /// Content was installed, for a purchase or at the app's request.
        case installed(InstalledContent)
        /// The content of the given products was removed. URLs of the content that were provided before are invalid.
        case removed([String])
        /// The content directory or the packages could not be read or written.
        case failed(ContentError)
        /// Some backups may include the content, although its directory is marked as excluded.
        case mayBeBackedUp(BackupGap)
        /// The image at an address could not be fetched, or is not in a supported format. An image that was fetched
        /// earlier stays.
        case imageFailed(String, ImageError)
        /// The index of cached images could not be written. The images will be fetched again.
        case imagesNotCached(ImageError)
    }
}

extension CatalogEvent.Content {
    var description: EventDescription {
        switch self {
        case .downloadUpdated(let download):
            EventDescription(
                download.error == nil ? .debug : .warning, "download updated", products: [download.id],
                error: download.error, facts: [("state", download.state.rawValue)],
                note: [.waiting, .active, .paused].contains(download.state) ? download.description : nil)
        case .installed(let content):
            EventDescription(
                .info, "content installed", products: [content.productIdentifier],
                facts: [("version", content.version)])
        case .removed(let identifiers): EventDescription(.info, "content removed", products: identifiers)
        case .failed(let error): EventDescription(.warning, "hosted content not usable", error: error)
        case .mayBeBackedUp(let gap):
            EventDescription(.warning, "content may be backed up", note: gap.description)
        case .imageFailed(let address, let error):
            EventDescription(
                .warning, "image not usable", error: error, details: [("address", WebAddress.printed(address))])
        case .imagesNotCached(let error): EventDescription(.warning, "images not cached", error: error)
        }
    }
}
