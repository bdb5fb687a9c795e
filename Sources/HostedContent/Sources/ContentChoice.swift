package import Foundation

/// Content from where the catalog says that it is: from the app's own server where the request has addresses, else from
/// the store where that has it, else from a folder.
package struct ContentChoice: ContentSource {
    private let web: any ContentSource
    private let store: (any ContentSource)?
    private let folder: PackageFolder?

    package init(web: any ContentSource, store: (any ContentSource)? = nil, folder: PackageFolder? = nil) {
        self.web = web
        self.store = store
        self.folder = folder
    }

    package func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        guard request.urls.isEmpty else { return try await web.fetch(request, in: folder, progress: progress) }
        do throws(ContentError) {
            guard let store else {
                throw ContentError(
                    code: .notFound,
                    reason: "there is no place that \(request.productIdentifier) can be had from")
            }
            return try await store.fetch(request, in: folder, progress: progress)
        } catch {
            guard error.code == .notFound, let packages = self.folder else { throw error }
            return try await packages.fetch(request, in: folder, progress: progress)
        }
    }
}
