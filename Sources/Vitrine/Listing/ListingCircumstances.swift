internal import Foundation
internal import HostedContent
internal import ProductCatalog
internal import Purchasing

/// What a listing depends on beside catalog, store and ownership.
struct ListingCircumstances: Sendable {
    /// Why nothing new is sold from the catalog now; `nil` where it is.
    var sellingObstacle: String?
    /// Why nothing can be bought on this device; `nil` where it can.
    var paymentRestriction: String?
    /// `nil` where it is not known: no product then needs a later one.
    var appVersion: VersionNumber?
    var purchases = PurchaseStates()
    /// The products whose hosted content can be had.
    var availableContent: Set<String> = []
    /// What is installed, by product.
    var installedContent: [String: InstalledContent] = [:]
    /// The downloads that anybody has asked for, by product.
    var downloads: [String: DownloadStatus] = [:]
    /// The files with images that were fetched, by their addresses.
    var fetchedImages: [String: URL] = [:]

    /// Takes in what follows from something that has happened.
    ///
    /// - Returns: The products that may be shown otherwise.
    mutating func take(_ event: CatalogEvent) -> Set<String> {
        switch event {
        case .transaction(let step): return purchases.take(step).map { [$0] } ?? []
        case .purchase(.answered(let identifier, let answer)):
            purchases.end(identifier, answer)
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

    /// Takes in what was found in the content directory. A product that was installed or removed while it was read stays as
    /// it was told.
    ///
    /// - Parameter before: What was known when reading began.
    mutating func takeIn(installed found: [String: InstalledContent], before: [String: InstalledContent]) {
        let changed = Set(installedContent.keys).union(before.keys).filter { installedContent[$0] != before[$0] }
        installedContent = found.filter { !changed.contains($0.key) }
            .merging(installedContent.filter { changed.contains($0.key) }) { $1 }
    }

    func images(of product: CatalogProduct) -> ListedImages {
        ListedImages(
            icon: product.productIcon.flatMap { fetchedImages[$0] },
            featuredImage: product.featuredImage.flatMap { fetchedImages[$0] })
    }
}
