internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineHostedContent

/// Stand-in for content on web servers, from which a preview fetches nothing: a package with one file that says so.
struct AbsentContent: ContentSource {
    func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        let contents = folder.appending(path: "Contents", directoryHint: .isDirectory)
        do {
            try FileManager.default.createDirectory(at: contents, withIntermediateDirectories: true)
            try Data("The preview fetches no content from web servers.\n".utf8)
                .write(to: contents.appending(path: "Preview.txt", directoryHint: .notDirectory))
        } catch {
            throw ContentError(
                code: .storage, reason: "the content of \(request.productIdentifier) cannot be replaced: \(error)")
        }
        return .package(
            try ContentPackage(
                unpackaged: contents, of: request.productIdentifier, version: request.version ?? Self.version))
    }

    /// Version of the stand-in if the catalog names none.
    private static let version = "1.0"

    /// Returns the identifiers of products whose content is only on web servers, so that a preview replaces it.
    ///
    /// - Parameter packages: Folder of packages; `nil` if there is none.
    static func products(in catalog: Catalog, without packages: URL?) -> Set<String> {
        let remote = catalog.products.filter { $0.hostedContentPath != nil && $0.content?.urls.isEmpty == false }
        guard !remote.isEmpty else { return [] }
        // A folder that cannot be read has no packages; what needs them says why.
        let packaged = packages.flatMap { try? PackageFolder(url: $0).index().products } ?? []
        return Set(remote.map(\.identifier)).subtracting(packaged)
    }
}
