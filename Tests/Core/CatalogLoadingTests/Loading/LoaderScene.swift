import Foundation
import VitrineCatalog
import VitrineCatalogLoading
import VitrineNetworking
import VitrineTestSupport

/// Device with a cache, and a server whose catalog changes.
struct LoaderScene {
    let folder: TemporaryFolder
    let clock = TestClock()
    let numbers = MemoryNumbers()
    let server: LoopbackServer
    private let answers = Recorder<@Sendable (String) -> LoopbackServer.Answer>()

    init(_ answer: LoopbackServer.Answer = .catalog("a")) async throws {
        folder = try TemporaryFolder()
        answers.record { _ in answer }
        let answers = answers
        server = try await LoopbackServer { request in
            guard let answer = answers.values.last?(request.path) else { return .silence }
            if case .reply(200, let headers, _) = answer, let tag = headers["ETag"],
                request.headers["if-none-match"] == tag
            {
                return .reply(304, headers: ["ETag": tag])
            }
            return answer
        }
    }

    /// Sets the answer of the server from now on. If the client already has its `ETag`, the server responds with 304.
    func answer(_ answer: LoopbackServer.Answer) { answers.record { _ in answer } }

    /// Sets the answer of the server to each path from now on.
    func answer(_ answer: @escaping @Sendable (String) -> LoopbackServer.Answer) { answers.record(answer) }

    /// Sets the files of the server from now on.
    ///
    /// - Parameter replacements: Answers that replace the publisher's files, by path.
    func publish(_ publisher: CatalogPublisher, _ replacements: [String: LoopbackServer.Answer] = [:]) throws {
        let files = try publisher.files()
        let tag = files.catalog.reduce(0) { $0 &* 31 &+ Int($1) }
        answers.record { path in
            if let replacement = replacements[path] { return replacement }
            return switch path {
            case "/catalog.plist": .reply(headers: ["ETag": "\"\(tag)\""], body: files.catalog)
            case "/catalog.plist.minisig": .reply(body: files.signature)
            case "/keys.plist": .reply(body: files.keys)
            case "/keys.plist.minisig": .reply(body: files.keysSignature)
            default: .reply(404)
            }
        }
    }

    var url: URL { server.url.appending(path: "catalog.plist") }

    var cacheFile: URL { folder["Cache/Catalog.cache"] }

    func cacheContent() throws -> Data { try Data(contentsOf: cacheFile) }

    func remote(
        _ url: URL? = nil, cacheDays: Double = 1, trust: CatalogTrust? = nil, limits: HTTPLimits = HTTPLimits()
    ) -> RemoteCatalog {
        RemoteCatalog(url: url ?? self.url, cacheDays: cacheDays, trust: trust, limits: limits)
    }

    /// Returns a loader as after a new launch of the app.
    func loader(
        _ remote: RemoteCatalog? = nil, local: URL? = nil, build: String? = "1", cache: String = "Cache"
    ) -> CatalogLoader {
        let clock = clock
        return CatalogLoader(
            source: .remote(remote ?? self.remote(), local: local), cacheFolder: folder[cache],
            transport: DefaultTransport.patient, numbers: numbers, appBuild: build, now: { clock.now })
    }

    /// Writes the app's own property list.
    func local(_ identifiers: String..., version: Int? = nil) throws -> URL {
        try folder.write(PlistText.catalog(identifiers, version: version), to: "local.plist")
    }
}

extension PlistText {
    /// Returns a catalog of non-consumables.
    static func catalog(_ identifiers: [String], version: Int? = nil, expires: Date? = nil) -> String {
        let products = identifiers.map {
            "<dict><key>productIdentifier</key><string>\($0)</string><key>consumable</key><false/></dict>"
        }
        return document(
            "<dict>" + (version.map { "<key>catalogVersion</key><integer>\($0)</integer>" } ?? "")
                + (expires.map { "<key>expires</key><date>\($0.formatted(.iso8601))</date>" } ?? "")
                + "<key>products</key><array>\(products.joined())</array></dict>")
    }
}

extension LoopbackServer.Answer {
    /// Returns a reply with a catalog and an `ETag` that is made of its identifiers and version.
    static func catalog(_ identifiers: String..., version: Int? = nil, expires: Date? = nil) -> Self {
        .text(
            PlistText.catalog(identifiers, version: version, expires: expires),
            headers: ["ETag": "\"\(identifiers.joined())\(version.map(String.init) ?? "")\""])
    }

    static func text(_ text: String, headers: [String: String] = [:]) -> Self {
        .reply(headers: headers, body: Data(text.utf8))
    }
}

extension LoadedCatalog {
    var identifiers: [String] { catalog.products.map(\.identifier) }
}
