internal import Foundation
internal import VitrineCatalog
internal import VitrineCatalogLoading

extension CatalogManager {
    /// Maximum number of images fetched at a time.
    private static let fetchesAtOnce = 4

    /// Shows the cached remote images of the catalog, and fetches images that are missing or may be outdated in the
    /// background.
    func fetchImages() {
        guard !isStopped, options.images.areFetched, let catalog = state.snapshot.catalog else { return }
        let addresses = catalog.imageAddresses
        guard !addresses.isEmpty else { return }
        let (earlier, images, state, age, now) = (imageFetch, images, state, imageAge, now)
        imageFetch = Task {
            await earlier?.value
            guard !Task.isCancelled else { return }
            let start = now()
            state.show(images: await images.known(addresses))
            await withTaskGroup(of: Void.self) { group in
                for (count, address) in addresses.enumerated() {
                    if count >= Self.fetchesAtOnce { await group.next() }
                    group.addTask {
                        await Self.fetch(address, into: images, state: state, olderThan: age, usedBefore: start)
                    }
                }
            }
            do throws(ImageError) {
                try await images.save()
            } catch {
                state.send(.content(.imagesNotCached(error)))
            }
        }
    }

    private static func fetch(
        _ address: String, into images: ImageCache, state: ManagerState, olderThan age: TimeInterval,
        usedBefore start: Date
    ) async {
        guard !Task.isCancelled else { return }
        do {
            guard let file = try await images.fetch(address, olderThan: age, usedBefore: start) else { return }
            state.show(images: [address: file])
        } catch {
            guard !Task.isCancelled else { return }
            state.send(.content(.imageFailed(address, error)))
        }
    }

    /// Cancels the fetching of images, and waits for its end.
    func stopImages() async {
        imageFetch?.cancel()
        await imageFetch?.value
    }

    /// Waits until the images of the last load have been fetched.
    package func imagesSettled() async { await imageFetch?.value }
}

extension CatalogSource {
    /// Minimum interval between two requests for an image, in seconds: the same as for the catalog.
    var imageAge: TimeInterval {
        let days = if case .remote(let remote, _) = self { remote.cacheDays } else { 1.0 }
        return max(0, days) * 86_400
    }
}

extension Catalog {
    /// Addresses of images on the web, without duplicates, in catalog order.
    fileprivate var imageAddresses: [String] {
        products.flatMap { [$0.productIcon, $0.featuredImage] }.compactMap(\.self)
            .filter { $0.imageAddress != nil }.withoutDuplicates
    }
}
