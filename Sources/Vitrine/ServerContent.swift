internal import CatalogLoading
internal import Foundation
internal import HostedContent
internal import Networking
internal import ProductCatalog

/// Content on the app's own servers, of which what is installed already is not fetched again where they have files by
/// themselves.
struct ServerContent: ContentSource {
    let directory: ContentDirectory
    let transport: any HTTPTransport
    let signers: @Sendable () -> ContentSigners?
    /// What fetches whole archives; `nil` where they come in the foreground.
    let background: BackgroundTransfers?
    let now: @Sendable () -> Date

    func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        // What cannot be read is fetched again.
        let files = try? directory.installedFiles()
        var web = WebContent(
            transport: transport, installedFile: { files?.file(withDigest: $0) }, signers: signers, now: now)
        web.background = background
        return try await web.fetch(request, in: folder, progress: progress)
    }
}
