import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineHostedContent
import VitrineNetworking
import VitrinePurchasing
import VitrineTestSupport

/// Contract of every source of content.
@Suite(.hangLimit) struct ContentSourceContractTests {
    enum Implementation: String, CaseIterable, Sendable {
        case folder, web, store
    }

    /// Errors of a source whose package belongs to another product than requested.
    private static let refusals: [ContentError.Code] = [.notFound, .wrongContent]
    private static let length = 200_000

    private let folder: TemporaryFolder
    private let directory: ContentDirectory

    /// Creates packages of two guides, and one with the name Oslo that contains the guide to Rome.
    init() throws {
        folder = try TemporaryFolder()
        directory = ContentDirectory(url: folder["content"])
        var generator = SeededGenerator(seed: 6)
        for (name, product) in [("Rome", "rome"), ("Athens", "athens"), ("Oslo", "rome")] {
            let bytes = (0..<Self.length / 8).map { _ in generator.next() }.withUnsafeBytes { Data($0) }
            try folder.write(
                PlistText.document(
                    """
                    <dict><key>IAPProductIdentifier</key><string>\(product)</string>
                    <key>ContentVersion</key><string>1.0</string></dict>
                    """), to: "\(name)/\(name)/ContentInfo.plist")
            try folder.write("", to: "\(name)/\(name)/Contents/tiles")
            try bytes.write(to: folder["\(name)/\(name)/Contents/tiles"])
        }
    }

    // MARK: The sources

    /// Source of content, with matching catalog descriptions.
    private struct Scene: Sendable {
        let source: any ContentSource
        /// Function that returns the request for a product with the source's package of the given name.
        let request: @Sendable (_ name: String, _ product: String) -> ContentRequest
        /// Requests to stall a download half-way. The download is stalled while there are more of them than of
        /// `goesOn`.
        var halts = Recorder<Void>()
        var goesOn = Recorder<Void>()
        /// `true` if the source returns content without delay.
        var isInstant = false
    }

    private func makeScene(_ implementation: Implementation) async throws -> Scene {
        switch implementation {
        case .folder: try packageFolder()
        case .web: try await webContent()
        case .store: storeContent()
        }
    }

    private func packageFolder() throws -> Scene {
        try FileManager.default.createDirectory(at: folder["shelf"], withIntermediateDirectories: true)
        for name in ["Rome", "Athens"] {
            try FileManager.default.copyItem(at: folder["\(name)/\(name)"], to: folder["shelf/\(name)"])
        }
        var scene = Scene(source: PackageFolder(url: folder["shelf"])) { _, product in
            ContentRequest(productIdentifier: product, version: "1.0")
        }
        scene.isInstant = true
        return scene
    }

    private func webContent() async throws -> Scene {
        var packed: [String: ContentPacker.Packed] = [:]
        for name in ["Rome", "Athens", "Oslo"] {
            let out = folder["out/\(name)"]
            try FileManager.default.createDirectory(at: out, withIntermediateDirectories: true)
            packed[name] = try ContentPacker.pack(ContentPackage(folder: folder["\(name)/\(name)"]), into: out)
        }
        let (root, halts, goesOn) = (folder["out"], Recorder<Void>(), Recorder<Void>())
        let server = try await ContentServer { _, path in
            (try? Data(contentsOf: root.appending(path: String(path.dropFirst())))).map { ContentServer.File($0) }
        } fault: { _, reply in
            guard halts.values.count > goesOn.values.count, reply.body.count > Self.length / 2 else { return nil }
            return reply.broken(after: Self.length / 2, then: .silence)
        }
        let source = WebContent(
            transport: DefaultTransport.patient,
            retries: FetchRetries(
                schedule: RetrySchedule(
                    first: .milliseconds(500), longest: .seconds(30), random: { 0 }, sleep: { _ in })))
        return Scene(
            source: source,
            request: { [packed] name, product in
                guard let packed = packed[name] else {
                    return ContentRequest(productIdentifier: product, version: "1.0")
                }
                let url = server.url.appending(path: name).appending(component: packed.manifestFile.lastPathComponent)
                return ContentRequest(
                    productIdentifier: product, version: "1.0", urls: [url], digest: packed.manifestDigest,
                    length: packed.manifestLength)
            }, halts: halts, goesOn: goesOn)
    }

    private func storeContent() -> Scene {
        let (halts, goesOn) = (Recorder<Void>(), Recorder<Void>())
        let shelf = StoreShelf(root: folder.url) { halts.values.count > goesOn.values.count }
        return Scene(
            source: ContentSources(store: shelf),
            request: { _, product in ContentRequest(productIdentifier: product, version: "1.0") },
            halts: halts, goesOn: goesOn)
    }

    /// Store with a package of hosted content for each product, which arrives in two halves.
    private struct StoreShelf: StoreHostedContent {
        let root: URL
        let isHalted: @Sendable () -> Bool

        private func package(for product: String) -> URL {
            root.appending(path: "\(product.capitalized)/\(product.capitalized)")
        }

        func hasContent(for productIdentifier: String) -> Bool {
            FileManager.default.fileExists(atPath: package(for: productIdentifier).path())
        }

        func contentPackage(
            for productIdentifier: String, in folder: URL,
            progress: @escaping @Sendable (_ received: Int, _ total: Int?) -> Void
        ) async throws(StoreError) -> URL? {
            guard hasContent(for: productIdentifier) else { return nil }
            progress(1, 2)
            if isHalted() {
                try? await sleepUntilCancelled(.zero)
                throw StoreError(code: .network, reason: "broken off")
            }
            let copy = folder.appending(component: UUID().uuidString)
            do {
                try FileManager.default.copyItem(at: package(for: productIdentifier), to: copy)
            } catch {
                throw StoreError(code: .storage, reason: "\(error)")
            }
            progress(2, 2)
            return copy
        }
    }

    // MARK: Asking

    private func makeFolder(_ name: String) throws -> URL {
        try FileManager.default.createDirectory(at: folder[name], withIntermediateDirectories: true)
        return folder[name]
    }

    /// Downloads and installs a guide, and compares the installed files with the package, byte by byte.
    private func fetchWhole(
        _ name: String, from scene: Scene, in place: URL,
        progress: @escaping @Sendable (ContentProgress) -> Void = { _ in }
    ) async throws {
        let request = scene.request(name, name.lowercased())
        let fetched = try await scene.source.fetch(request, in: place, progress: progress)
        let path = try ContentPath("guides/\(UUID().uuidString)")
        let installed = try await directory.install(fetched, request: request, at: path)
        #expect(installed.productIdentifier == name.lowercased())
        #expect(installed.version == "1.0")
        #expect(installed.digest == request.digest)
        #expect(try await directory.check(at: path).isWhole)
        #expect(
            try Data(contentsOf: installed.url.appending(path: "tiles"))
                == Data(contentsOf: folder["\(name)/\(name)/Contents/tiles"]))
    }

    private func failure(of request: ContentRequest, from scene: Scene) async throws -> ContentError.Code? {
        let place = try makeFolder("downloads/refused")
        return await #expect(throws: ContentError.self) {
            _ = try await scene.source.fetch(request, in: place) { _ in }
        }?.code
    }

    // MARK: The contract

    @Test(arguments: Implementation.allCases)
    func `content from each kind of source is delivered complete, and the reported progress never decreases`(
        _ implementation: Implementation
    ) async throws {
        let (scene, reported) = (try await makeScene(implementation), Recorder<ContentProgress>())
        try await fetchWhole("Rome", from: scene, in: makeFolder("downloads/rome")) { reported.record($0) }

        let received = reported.values.map(\.received)
        #expect(received == received.sorted())
        #expect(reported.values.isEmpty == scene.isInstant)
        if let last = reported.values.last { #expect(last.total == last.received) }
    }

    @Test(arguments: Implementation.allCases)
    func `a canceled fetch of content fails as canceled, and the next fetch continues in the same folder`(
        _ implementation: Implementation
    ) async throws {
        let (scene, reported) = (try await makeScene(implementation), AsyncStream<ContentProgress>.makeStream())
        let place = try makeFolder("downloads/rome")
        scene.halts.record(())
        let request = scene.request("Rome", "rome")
        let fetching = Task { () async -> ContentError? in
            do throws(ContentError) {
                _ = try await scene.source.fetch(request, in: place) { reported.continuation.yield($0) }
                return nil
            } catch {
                return error
            }
        }
        if !scene.isInstant { _ = await reported.stream.first { $0.received > 0 } }
        fetching.cancel()

        #expect(await fetching.value?.code == (scene.isInstant ? nil : .cancelled))
        scene.goesOn.record(())
        try await fetchWhole("Rome", from: scene, in: place)
    }

    @Test(arguments: Implementation.allCases)
    func `the fetch of a product that is unknown to the content source fails as not found`(
        _ implementation: Implementation
    ) async throws {
        let scene = try await makeScene(implementation)

        #expect(try await failure(of: scene.request("Paris", "paris"), from: scene) == .notFound)
    }

    @Test(arguments: Implementation.allCases)
    func `a content package of another product is refused`(_ implementation: Implementation) async throws {
        let scene = try await makeScene(implementation)
        let code = try #require(try await failure(of: scene.request("Oslo", "oslo"), from: scene))

        #expect(Self.refusals.contains(code))
    }

    @Test(arguments: Implementation.allCases)
    func `a content package of another version than the requested one is refused`(_ implementation: Implementation)
        async throws
    {
        let scene = try await makeScene(implementation)
        var request = scene.request("Rome", "rome")
        request.version = "1.1"

        #expect(try await failure(of: request, from: scene) == .wrongContent)
    }

    @Test(arguments: Implementation.allCases)
    func `content of two products is fetched into two folders concurrently`(_ implementation: Implementation)
        async throws
    {
        let scene = try await makeScene(implementation)
        let places = try (makeFolder("downloads/rome"), makeFolder("downloads/athens"))
        async let rome: Void = fetchWhole("Rome", from: scene, in: places.0)
        async let athens: Void = fetchWhole("Athens", from: scene, in: places.1)

        try await rome
        try await athens
    }
}
