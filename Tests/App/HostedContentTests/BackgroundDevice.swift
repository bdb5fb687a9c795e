import Foundation
import VitrineCatalog
import VitrineHostedContent
import VitrineNetworking
import VitrineTestSupport

/// A device with content, a system that fetches in the background, and an app that is launched again and again.
final class BackgroundDevice: Sendable {
    /// The app, as long as it runs.
    struct App: Sendable {
        let transfers: BackgroundTransfers
        let downloads: ContentDownloads
        fileprivate let changes: AsyncStream<DownloadStatus>

        /// Waits until a download has come so far.
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

    /// - Parameters:
    ///   - background: Whether the app has chosen background transfers.
    ///   - sleep: Waits until nothing has come for too long.
    func launch(
        background: Bool = true, sleep: @escaping @Sendable (Duration) async throws -> Void = sleepUntilCancelled
    ) -> App {
        let transfers = BackgroundTransfers(session: system, directory: directory, sleep: sleep)
        var web = WebContent(
            transport: DefaultTransport.patient,
            retries: FetchRetries(
                schedule: RetrySchedule(
                    first: .milliseconds(500), longest: .seconds(30), random: { 0 },
                    sleep: { [waits] in waits.record($0) })))
        if background { web.background = transfers }
        let (changes, told) = AsyncStream<DownloadStatus>.makeStream()
        // Of each progress a second is over, so that all is told.
        let clock = TestClock()
        let downloads = ContentDownloads(
            directory: directory, source: web,
            now: {
                clock.advance(by: 1)
                return clock.now
            }, sleep: sleepUntilCancelled, send: { told.yield($0) },
            withdraw: { await transfers.withdraw($0) })
        Task { for await product in transfers.wakes { await downloads.wake(product) } }
        return App(transfers: transfers, downloads: downloads, changes: changes)
    }

    /// The process ends; the system goes on.
    func end(_ app: App) async {
        app.transfers.leave()
        await app.downloads.stop()
        system.appEnds()
    }

    /// What lies in the folder of a product's download.
    func downloaded() throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder["content/.downloads"].path()) else { return [] }
        return try paths(in: folder["content/.downloads"])
            .filter { $0.contains("/bytes/") }.compactMap { $0.split(separator: "/").last.map(String.init) }
    }

    func installed(_ product: String = "rome") throws -> InstalledContent? {
        try directory.installedContent(at: ContentPath(product))
    }
}

/// A package in an archive on a server, some thousand bytes of it.
struct ServedArchive {
    let product: String
    let bytes: Data

    init(_ product: String = "rome", version: String = "1.0") {
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
                ZipBytes.Entry("Contents/map.svg", String(repeating: "<svg/>\n", count: 1_000)),
            ]).bytes)
    }

    var half: Int { bytes.count / 2 }
    /// What a transfer of it is called.
    var name: String { "\(bytes.digestText) \(product)" }

    func wanted(at urls: URL...) throws -> ContentDownloads.Wanted {
        ContentDownloads.Wanted(
            ContentRequest(productIdentifier: product, urls: urls, digest: bytes.digestText, length: bytes.count),
            at: try ContentPath(product))
    }
}

/// A server of archives that holds the first reply with each back after its first half, until it is let go.
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
