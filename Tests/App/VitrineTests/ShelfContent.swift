import Foundation
import VitrinePurchasing
import VitrineSupport

/// Content of a store in a folder with a package for each product, named like the last component of the product's
/// identifier. A test controls the download.
struct ShelfContent: StoreHostedContent {
    let packages: URL
    /// Function that is called for each product before its package is returned, with a closure that reports progress.
    var onFetch: @Sendable (String, @Sendable (Int, Int?) -> Void) async throws(StoreError) -> Void = {
        _, progress throws(StoreError) in progress(1, 2)
    }

    private func package(for productIdentifier: String) -> URL {
        packages.appending(path: productIdentifier.split(separator: ".").last.map(String.init)?.capitalized ?? "")
    }

    func hasContent(for productIdentifier: String) -> Bool {
        FileManager.default.fileExists(atPath: package(for: productIdentifier).path())
    }

    func contentPackage(
        for productIdentifier: String, in folder: URL,
        progress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void
    ) async throws(StoreError) -> URL? {
        guard hasContent(for: productIdentifier) else { return nil }
        try await onFetch(productIdentifier, progress)
        let copy = folder.appending(component: UUID().uuidString)
        do {
            try FileManager.default.copyItem(at: package(for: productIdentifier), to: copy)
        } catch {
            throw StoreError(code: .storage, reason: "\(error)")
        }
        return copy
    }
}
