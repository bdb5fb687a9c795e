internal import CatalogLoading
internal import Entitlements
internal import Foundation
internal import ProductCatalog

extension ManagerState {
    /// What is known at a moment.
    struct Snapshot: Sendable {
        var status = LoadingStatus.productsLoading
        var entitlements: EntitlementSnapshot
        var loadedCatalog: LoadedCatalog?
        /// The catalog is what was on the device before anything else was looked for.
        var isCatalogProvisional = false
        var isLoading = false
        /// Why something could not be had in the last load; `nil` where nothing went wrong.
        var loadFailure: LoadFailure?
        var circumstances = ListingCircumstances()
        var shown: ListingState

        var storeAnswer: StoreAnswer? { shown.answer }

        var listings: Listings? { shown.listings }

        var listing: [ProductListing] { listings?.pages.all ?? [] }

        var catalog: Catalog? { entitlements.catalog }

        /// Why nothing new is sold from the catalog now; `nil` where it is.
        var sellingObstacle: String? { circumstances.sellingObstacle }

        /// The catalog is a copy, or the app's own property list, in place of the server's: what it lacks the server's may
        /// have.
        var isCatalogStandIn: Bool {
            isCatalogProvisional || loadedCatalog?.failure != nil || loadedCatalog?.origin == .cache
        }

        /// The identifiers of the catalog that the store did not know when it was asked last.
        var invalidIdentifiers: [String] { listings?.shelf.unknownIdentifiers ?? [] }

        /// Why nothing new is sold from the loaded catalog at the time of the entitlements; `nil` where it is.
        var obstacleNow: String? {
            guard let loadedCatalog else { return nil }
            if let obstacle = loadedCatalog.sellingObstacle { return obstacle }
            guard let end = loadedCatalog.goodUntil, end <= entitlements.date else { return nil }
            return "its signature was good until \(end.formatted(.iso8601))"
        }
    }
}
