import Foundation
import VitrineCatalog
import VitrineHostedContent
import VitrineNetworking
import VitrineTestSupport

/// Device with content, a system that downloads in the background, and an app that is launched repeatedly.
final class BackgroundDevice: Sendable {
    /// Running instance of the app.
    struct App: Sendable {
        let transfers: BackgroundTransfers
        let downloads: ContentDownloads
        fileprivate let changes: AsyncStream<DownloadStatus>

        /// Waits until the status of a download satisfies a condition.
        @discardableResult
        func until(_ product: String = "rome", _ isMeant: (DownloadStatus) -> Bool) async -> DownloadStatus? {
            if let status = downloads.status(of: product), isMeant(status) { return status }
            for await status in changes where status.id == product && isMeant(status) { return status }
            return nil
        }

        func state(_ product: String = "rome") -> DownloadState? { downloads.status(of: product)?.state }
    }

    let folder: TemporaryFolder
    let directory: ContentDirectory
    let system: SystemTransfers
    let waits = Recorder<Duration>()

    init() throws {
        folder = try TemporaryFolder()
        directory = ContentDirectory(url: folder["content"])
        system = try SystemTransfers()
    }

    /// Launches the app.
    ///
    /// - Parameters:
    ///   - background: `true` if the app uses background transfers.
    ///   - server: Server that sends content only to owners.
    ///   - session: Session of the background transfers; `nil` for ``system``.
    ///   - sleep: Function that waits until a stalled transfer times out.
    func launch(
        background: Bool = true, server: (any ProtectedContentServer)? = nil,
        session: (any BackgroundSession)? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = sleepUntilCancelled
    ) -> App {
        let transfers = BackgroundTransfers(session: session ?? system, directory: directory, sleep: sleep)
        var web = WebContent(
            transport: DefaultTransport.patient,
            retries: FetchRetries(
                schedule: RetrySchedule(
                    first: .milliseconds(500), longest: .seconds(30), random: { 0 },
                    sleep: { [waits] in waits.record($0) })))
        if background { web.background = transfers }
        web.server = server
        let (changes, reported) = AsyncStream<DownloadStatus>.makeStream()
        // Of each progress a second is over, so that all is told.
        let clock = TestClock()
        let downloads = ContentDownloads(
            directory: directory, source: web,
            now: {
                clock.advance(by: 1)
                return clock.now
            }, sleep: sleepUntilCancelled, send: { reported.yield($0) },
            withdraw: { await transfers.withdraw($0) })
        Task { for await product in transfers.wakes { await downloads.wake(product) } }
        return App(transfers: transfers, downloads: downloads, changes: changes)
    }

    /// Ends the process of the app. The system's transfers continue.
    func end(_ app: App) async {
        app.transfers.leave()
        await app.downloads.stop()
        system.appEnds()
    }

    /// Returns the names of the files in the folder of a product's download.
    func downloaded() throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder["content/.downloads"].path()) else { return [] }
        return try paths(in: folder["content/.downloads"])
            .filter { $0.contains("/bytes/") }.compactMap { $0.split(separator: "/").last.map(String.init) }
    }

    func installed(_ product: String = "rome") throws -> InstalledContent? {
        try directory.installedContent(at: ContentPath(product))
    }
}

/// Archive of a package on a server, a few thousand bytes long.
struct ServedArchive {
    let product: String
    let bytes: Data

    init(_ product: String = "rome", version: String = "1.0", lines: Int = 1_000) {
        self.product = product
        let info = PlistText.document(
            """
            <dict><key>IAPProductIdentifier</key><string>\(product)</string>
            <key>ContentVersion</key><string>\(version)</string></dict>
            """)
        bytes = Data(
            ZipBytes([
                ZipBytes.Entry("ContentInfo.plist", info),
                ZipBytes.Entry("Contents/guide.md", "# \(product)\n"),
                ZipBytes.Entry("Contents/map.svg", String(repeating: "<svg/>\n", count: lines)),
            ]).bytes)
    }

    var half: Int { bytes.count / 2 }
    /// Name of the background transfer of the archive.
    var name: String { "\(bytes.digestText) \(product)" }

    func wanted(at urls: URL...) throws -> ContentDownloads.Wanted {
        ContentDownloads.Wanted(
            ContentRequest(productIdentifier: product, urls: urls, digest: bytes.digestText, length: bytes.count),
            at: try ContentPath(product))
    }
}

/// Server of archives that sends half of the first response for each archive, and the rest only when the test releases
/// it.
final class HoldingServer: Sendable {
    let server: ContentServer
    private let rests: [String: (rest: Data, more: AsyncStream<Data>.Continuation)]

    init(_ archives: ServedArchive...) async throws {
        var files: [String: Data] = [:]
        var rests: [String: (rest: Data, more: AsyncStream<Data>.Continuation)] = [:]
        var held: [Data: AsyncStream<Data>] = [:]
        for archive in archives {
            files["/\(archive.product).zip"] = archive.bytes
            let (pieces, more) = AsyncStream<Data>.makeStream()
            rests[archive.product] = (archive.bytes.dropFirst(archive.half), more)
            held[archive.bytes] = pieces
        }
        let (replied, streams, all) = (Recorder<Data>(), held, files)
        self.rests = rests
        server = try await ContentServer({ _, path in all[path].map { ContentServer.File($0) } }) { _, reply in
            guard let pieces = streams[reply.body], !replied.values.contains(reply.body) else { return nil }
            replied.record(reply.body)
            return reply.beginning(with: reply.body.count / 2, then: pieces)
        }
    }

    func url(_ archive: ServedArchive) -> URL { server.url.appending(path: "\(archive.product).zip") }

    func letGo(_ product: String = "rome") {
        guard let (rest, more) = rests[product] else { return }
        more.yield(Data(rest))
        more.finish()
    }
}
