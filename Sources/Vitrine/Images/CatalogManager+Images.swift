internal import CatalogLoading
internal import Foundation
internal import ProductCatalog

extension CatalogManager {
    /// So many images are fetched at a time.
    private static let fetchesAtOnce = 4

    /// Shows what there is of the catalog's remote images, and fetches the others, and those that may have changed, behind
    /// everybody's back.
    func fetchImages() {
        guard !isStopped, options.fetchesImages, let catalog = state.snapshot.catalog else { return }
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
                state.tell(.content(.imagesNotCached(error)))
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
            state.tell(.content(.imageFailed(address, error)))
        }
    }

    /// Ends the fetching of images, and waits for that.
    func stopImages() async {
        imageFetch?.cancel()
        await imageFetch?.value
    }

    /// Waits until the images are fetched that were to be after the last load.
    package func imagesSettled() async { await imageFetch?.value }
}

extension CatalogSource {
    /// In seconds: images are asked for no more often than the catalog that names them.
    var imageAge: TimeInterval {
        let days = if case .remote(let remote, _) = self { remote.cacheDays } else { 1.0 }
        return max(0, days) * 86_400
    }
}

extension Catalog {
    /// The addresses of images on the web, each once, in the order of the catalog.
    fileprivate var imageAddresses: [String] {
        products.flatMap { [$0.productIcon, $0.featuredImage] }.compactMap(\.self)
            .filter { $0.imageAddress != nil }.withoutDuplicates
    }
}
