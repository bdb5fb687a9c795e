package import Foundation
package import HostedContent
package import Purchasing

/// Content hosted by the store.
package struct StoreHostedContent: ContentSource {
    private let store: any StoreContent

    package init(store: any StoreContent) { self.store = store }

    package func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        let package: URL?
        do throws(StoreError) {
            package = try await store.contentPackage(for: request.productIdentifier, in: folder) { received, total in
                progress(ContentProgress(received: received, total: total))
            }
        } catch {
            guard !Task.isCancelled else { throw ContentError(code: .cancelled, reason: error.reason) }
            throw ContentError(error)
        }
        guard let package else {
            throw ContentError(
                code: .notFound, reason: "the store has no content for \(request.productIdentifier)")
        }
        return .package(try ContentPackage(folder: package).checked(for: request))
    }
}

extension ContentError {
    fileprivate init(_ error: StoreError) {
        let code: Code =
            switch error.code {
            case .storage: .storage
            case .network: .network
            default: .server
            }
        self.init(code: code, reason: error.reason)
    }
}
