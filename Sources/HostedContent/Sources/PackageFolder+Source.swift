public import Foundation

extension PackageFolder: ContentSource {
    /// Opens the package of a product. Nothing is copied, and no progress told: it is here.
    public func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        .package(try index().package(for: request.productIdentifier).checked(for: request))
    }
}

extension ContentPackage {
    /// The package itself, where it is what was asked for.
    ///
    /// - Throws: ``ContentError`` `wrongContent` otherwise.
    package func checked(for request: ContentRequest) throws(ContentError) -> ContentPackage {
        guard info.productIdentifier == request.productIdentifier else {
            throw ContentError(
                code: .wrongContent,
                reason: "\(url.relativePath) is for \(info.productIdentifier), not for \(request.productIdentifier)")
        }
        guard let version = request.version, version != info.version else { return self }
        throw ContentError(
            code: .wrongContent,
            reason: "\(url.relativePath) has version \(info.version), and the catalog asks for \(version)")
    }
}
