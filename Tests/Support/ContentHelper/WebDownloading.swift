import Foundation
import VitrineCatalog
import VitrineHostedContent
import VitrineSupport

/// Download of content from a web server, which is installed, or stopped half-way.
struct WebDownloading {
    let directory: ContentDirectory
    let request: ContentRequest
    let path: ContentPath

    /// Length of the first part of an archive's download, in bytes.
    private static let part = 4 * 1024 * 1024

    func run(_ command: String) async throws {
        switch command {
        case "download": _ = try await downloads().content(wanted, isUserInitiated: true)
        case "want": _ = try await downloads().content(wanted, isUserInitiated: false)
        case "pause": try await stop { (downloads, id) throws(ContentError) in try await downloads.pause(id) }
        case "cancel": try await stop { (downloads, id) throws(ContentError) in try await downloads.cancel(id) }
        default: try await fetch()
        }
    }

    private var wanted: ContentDownloads.Wanted { ContentDownloads.Wanted(request, at: path) }

    private func downloads(
        progress: @escaping @Sendable (ContentProgress) -> Void = { _ in }
    ) -> ContentDownloads {
        ContentDownloads(directory: directory, source: WatchedContent(progress: progress))
    }

    /// Downloads and installs the content without storing the state of the download.
    private func fetch() async throws {
        let folder = try directory.downloadFolder(for: request.productIdentifier)
        let fetched = try await WebContent().fetch(request, in: folder) { _ in }
        _ = try await directory.install(fetched, request: request, at: path)
    }

    /// Stops the download after its first part has arrived.
    private func stop(_ stop: (ContentDownloads, String) async throws(ContentError) -> Void) async throws {
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        let downloads = downloads { if $0.received >= Self.part { arrived.yield() } }
        let answer = Task {
            defer { arrived.finish() }
            return await downloads.contents([wanted], isUserInitiated: true)[0]
        }
        if await arrivals.first(where: { _ in true }) != nil {
            try await stop(downloads, request.productIdentifier)
        }
        if case .failure(let error) = await answer.value, ![.paused, .cancelled].contains(error.code) { throw error }
    }
}

/// Content from a web server, with a closure that observes the progress.
private struct WatchedContent: ContentSource {
    let progress: @Sendable (ContentProgress) -> Void

    func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        try await WebContent().fetch(request, in: folder) { [watcher = self.progress] in
            progress($0)
            watcher($0)
        }
    }
}
