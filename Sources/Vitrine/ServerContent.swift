internal import Foundation
internal import HostedContent
internal import Networking
internal import ProductCatalog

/// Content on the app's own servers. Installed files are not fetched again if the servers provide single files.
struct ServerContent: ContentSource {
    let directory: ContentDirectory
    let transport: any HTTPTransport
    let signers: @Sendable () -> ContentSigners?
    /// Transfers that fetch whole archives in the background; `nil` to fetch them in the foreground.
    let background: BackgroundTransfers?
    let now: @Sendable () -> Date

    func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        // Installed files that cannot be read are fetched again.
        let files = try? directory.installedFiles()
        var web = WebContent(
            transport: transport, installedFile: { files?.file(withDigest: $0) }, signers: signers, now: now)
        web.background = background
        return try await web.fetch(request, in: folder, progress: progress)
    }
}
