internal import Foundation
public import VitrineCatalog
internal import VitrineHostedContent
internal import VitrinePurchasing

/// State that a listing depends on, beside the catalog, the store's response and ownership.
public struct ListingContext: Sendable {
    /// Reason why nothing new is sold from the catalog, in lower case and without a period; `nil` if products
    /// are sold.
    public var sellingObstacle: String?
    /// Reason why nothing can be bought on this device, in lower case and without a period; `nil` if
    /// purchases are possible.
    public var paymentRestriction: String?
    /// Version of the app; `nil` if it is not known: the `minimumAppVersion` of products is then ignored.
    public var appVersion: VersionNumber?
    /// `true` if the app delivers purchases itself (`AppHooks.delivery`): a consumable is then sold even if the catalog
    /// names neither its type nor its wallet.
    public var isAppDelivering = false
    /// Identifiers of products that were missing in a response of the store without any product: the store does not
    /// know them, or the request failed.
    var unreturned: Set<String> = []
    /// Identifiers of the products whose content is available; `nil` for all.
    public var availableContent: Set<String>?
    /// Identifiers of the products whose hosted content has neither an address nor a package.
    var contentWithoutSource: Set<String> = []
    var purchases = PurchaseStates()
    /// Installed content by product.
    var installedContent: [String: InstalledContent] = [:]
    /// Requested downloads by product.
    var downloads: [String: DownloadStatus] = [:]
    /// Files of fetched images by the addresses of the images.
    var fetchedImages: [String: URL] = [:]

    public init() {}

    /// Applies an event.
    ///
    /// - Parameter date: Date of the event.
    /// - Returns: Products whose listings may have changed.
    mutating func apply(_ event: CatalogEvent, at date: Date) -> Set<String> {
        switch event {
        case .transaction(let step): return purchases.apply(step).map { [$0] } ?? []
        case .purchase(.answered(let identifier, let answer)):
            purchases.end(identifier, answer, at: date)
            return [identifier]
        case .content(.installed(let content)):
            installedContent[content.productIdentifier] = content
            return [content.productIdentifier]
        case .content(.removed(let identifiers)):
            for identifier in identifiers {
                installedContent[identifier] = nil
                if downloads[identifier]?.state == .finished { downloads[identifier] = nil }
            }
            return Set(identifiers)
        case .content(.downloadUpdated(let download)):
            downloads[download.id] = download
            return [download.id]
        default: return []
        }
    }

    /// Applies the state of the content directory. Content that was installed or removed while the directory was read
    /// keeps the state that its event reported.
    ///
    /// - Parameter before: Installed content when reading began.
    mutating func setInstalled(_ found: [String: InstalledContent], before: [String: InstalledContent]) {
        let changed = Set(installedContent.keys).union(before.keys).filter { installedContent[$0] != before[$0] }
        installedContent = found.filter { !changed.contains($0.key) }
            .merging(installedContent.filter { changed.contains($0.key) }) { $1 }
    }

    func images(of product: CatalogProduct) -> ListedImages {
        // The names of images are read from the catalog file each time.
        guard !fetchedImages.isEmpty else { return ListedImages() }
        return ListedImages(
            icon: product.productIcon.flatMap { fetchedImages[$0] },
            featuredImage: product.featuredImage.flatMap { fetchedImages[$0] })
    }
}
