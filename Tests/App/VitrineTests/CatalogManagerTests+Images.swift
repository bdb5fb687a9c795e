import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrinePurchasing
import VitrineTestSupport

/// Images in a catalog: files of the app, and web addresses.
extension CatalogManagerTests {
    private func catalog(icon: String?, featuredImage: String? = nil) -> Catalog {
        Catalog(products: [
            CatalogProduct(
                identifier: .voyager("lisbon"), kind: .nonConsumable, productIcon: icon, featuredImage: featuredImage)
        ])
    }

    private func imageManager(
        icon: String?, featuredImage: String? = nil, choosing choices: (inout ManagerOptions) -> Void = { _ in }
    ) async throws -> CatalogManager {
        try await makeManager(catalog: .catalog(catalog(icon: icon, featuredImage: featuredImage)), choosing: choices)
    }

    private func load(_ manager: CatalogManager) async {
        await manager.loadProducts()
        await manager.imagesSettled()
    }

    private func icon(of manager: CatalogManager) throws -> URL? { try listing("lisbon", of: manager).icon }

    private var images: URL { folder["home"].appending(path: "Cache/Images") }

    @Test(arguments: SampleImage.allCases)
    func `a remote image is fetched after the catalog is loaded, and then read from the cache`(image: SampleImage)
        async throws
    {
        let server = try await LoopbackServer(.reply(body: image.data))
        let manager = try await imageManager(icon: server.url.absoluteString + "a")
        let events = try await events(of: manager) {
            await load(manager)
        }
        let file = try #require(try icon(of: manager))

        #expect(try Data(contentsOf: file) == image.data)
        #expect(file.pathExtension == image.fileExtension)
        #expect(file.deletingLastPathComponent().lastPathComponent == "Images")
        // The catalog, the purchases that the store knows, the store's products, and the image.
        #expect(events.listingChanges == Array(repeating: ["lisbon"], count: 4))
        #expect(server.requests.count == 1)
        #expect(FileManager.default.fileExists(atPath: images.appending(component: "CACHEDIR.TAG").path()))
    }

    @Test func `an image used as icon and featured image is fetched once, and read from the cache at the next launch`()
        async throws
    {
        let server = try await LoopbackServer(.reply(body: SampleImage.png.data))
        let address = server.url.absoluteString
        let manager = try await imageManager(icon: address, featuredImage: address)
        await load(manager)
        await load(manager)
        #expect(server.requests.count == 1)
        #expect(try listing("lisbon", of: manager).featuredImage == icon(of: manager))
        await manager.stop()

        let next = try await imageManager(icon: address, featuredImage: address)
        await load(next)
        #expect(try icon(of: next) == icon(of: manager))
        #expect(server.requests.count == 1)
    }

    @Test func `an image older than cacheDays is requested conditionally, and replaced if the server has a newer one`()
        async throws
    {
        let asked = Recorder<Void>()
        let server = try await LoopbackServer { request in
            asked.record(())
            guard request.headers["if-none-match"] == nil || asked.values.count > 2 else { return .reply(304) }
            let image = asked.values.count > 2 ? SampleImage.gif : .png
            return .reply(headers: ["ETag": "\"\(asked.values.count)\""], body: image.data)
        }
        let manager = try await imageManager(icon: server.url.absoluteString)
        await load(manager)
        let first = try icon(of: manager)
        voyager.clock.advance(by: 86_399)
        await load(manager)
        #expect(server.requests.count == 1)
        voyager.clock.advance(by: 1)
        await load(manager)
        #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, "\"1\""])
        #expect(try icon(of: manager) == first)
        voyager.clock.advance(by: 86_400)
        await load(manager)

        #expect(try icon(of: manager)?.pathExtension == "gif")
        #expect(try FileManager.default.contentsOfDirectory(atPath: images.path()).sorted().count == 3)
    }

    @Test(arguments: HostileImage.allCases)
    func `an invalid image is rejected with an error, and the image cached before remains in use`(image: HostileImage)
        async throws
    {
        let asked = Recorder<Void>()
        let server = try await LoopbackServer { _ in
            asked.record(())
            return asked.values.count == 1 ? .reply(body: SampleImage.png.data) : image.answer
        }
        let manager = try await imageManager(icon: server.url.absoluteString)
        await load(manager)
        let first = try #require(try icon(of: manager))
        voyager.clock.advance(by: 86_400)
        let events = try await events(of: manager) { await load(manager) }
        let failures = events.compactMap { event -> ImageError.Code? in
            if case .content(.imageFailed(_, let error)) = event { error.code } else { nil }
        }

        #expect(failures == [image.code])
        #expect(try icon(of: manager) == first)
        #expect(FileManager.default.fileExists(atPath: first.path()))
    }

    @Test(arguments: ["http://images.example.com/a.png", "https://me:secret@images.example.com/a.png"])
    func `an image address with plain HTTP or embedded credentials is refused`(address: String) async throws {
        let manager = try await imageManager(icon: address)
        let events = try await events(of: manager) { await load(manager) }

        #expect(
            events.contains {
                if case .content(.imageFailed(address, let error)) = $0 { error.code == .fetch } else { false }
            })
        #expect(try icon(of: manager) == nil)
    }

    private static let page = LoopbackServer.Answer.reply(
        headers: ["Content-Type": "text/html; charset=utf-8"], body: Data("<p>Not here</p>".utf8))

    /// Starts a server with images, and with one answer to all other requests.
    private func server(
        _ images: [String: SampleImage], _ others: LoopbackServer.Answer = .reply(404)
    ) async throws -> LoopbackServer {
        try await LoopbackServer { request in
            guard let image = images[request.path] else { return others }
            let tag = "\"\(image.rawValue)\""
            return request.headers["if-none-match"] == tag
                ? .reply(304) : .reply(headers: ["ETag": tag], body: image.data)
        }
    }

    @Test(
        arguments: [
            ("a.png", ["/a@2x.png"], ["/a@3x~ipad.png", "/a@3x.png", "/a@2x~ipad.png", "/a@2x.png"]),
            (
                "a.b/c?v=1.2", ["/a.b/c~ipad?v=1.2"],
                ["@3x~ipad", "@3x", "@2x~ipad", "@2x", "~ipad"].map { "/a.b/c\($0)?v=1.2" }
            ),
            ("%20%2F.png", ["/%20%2F@3x~ipad.png"], ["/%20%2F@3x~ipad.png"]), ("", ["/"], ["/"]),
            (".png", ["/.png@3x~ipad"], ["/.png@3x~ipad"]),
        ] as [(String, [String], [String])])
    func `image variants for the screen scale and the device are requested before the plain image name`(
        name: String, there: [String], asked: [String]
    ) async throws {
        let server = try await server(Dictionary(uniqueKeysWithValues: there.map { ($0, .png) }))
        let manager = try await imageManager(icon: server.url.absoluteString + name) { options in
            (options.images.scale, options.images.idiom) = (3, "ipad")
        }
        await load(manager)

        #expect(server.requests.map(\.path) == asked)
        #expect(try Data(contentsOf: #require(try icon(of: manager))) == SampleImage.png.data)
    }

    @Test(arguments: [.reply(403), .reply(404), .reply(410), page] as [LoopbackServer.Answer])
    func `if a server has only the plain image name, the next refresh requests that name alone`(
        others: LoopbackServer.Answer
    )
        async throws
    {
        let server = try await server(["/a.png": .png], others)
        let manager = try await imageManager(icon: server.url.absoluteString + "a.png") { $0.images.scale = 2 }
        await load(manager)
        voyager.clock.advance(by: 86_400)
        await load(manager)

        #expect(server.requests.map(\.path) == ["/a@2x.png", "/a.png", "/a.png"])
        #expect(server.requests.last?.headers["if-none-match"] == "\"png\"")
        #expect(try icon(of: manager)?.pathExtension == "png")
    }

    @Test func `if the image variant found earlier is gone, the other variants are requested`() async throws {
        let isGone = Recorder<Void>()
        let server = try await LoopbackServer { request in
            switch request.path {
            case "/a@2x.png" where isGone.values.isEmpty: .reply(headers: ["ETag": "\"1\""], body: SampleImage.png.data)
            case "/a.png": .reply(body: SampleImage.gif.data)
            default: .reply(404)
            }
        }
        let manager = try await imageManager(icon: server.url.absoluteString + "a.png") { $0.images.scale = 3 }
        await load(manager)
        isGone.record(())
        voyager.clock.advance(by: 86_400)
        await load(manager)

        #expect(server.requests.map(\.path) == ["/a@3x.png", "/a@2x.png", "/a@2x.png", "/a@3x.png", "/a.png"])
        #expect(server.requests.map { $0.headers["if-none-match"] } == [nil, nil, "\"1\"", nil, nil])
        #expect(try icon(of: manager)?.pathExtension == "gif")
    }

    @Test func `after a server error no further variant of an image is requested`() async throws {
        let server = try await server(["/a.png": .png], .reply(500))
        let manager = try await imageManager(icon: server.url.absoluteString + "a.png") { $0.images.scale = 2 }
        let events = try await events(of: manager) { await load(manager) }
        let failures = events.compactMap { event in
            if case .content(.imageFailed(let address, let error)) = event { "\(address) \(error.code)" } else { nil }
        }

        #expect(failures == ["\(server.url.absoluteString)a.png fetch"])
        #expect(server.requests.map(\.path) == ["/a@2x.png"])
        #expect(try icon(of: manager) == nil)
    }

    @Test func `no image is requested if the option to fetch images is off`() async throws {
        let server = try await LoopbackServer(.reply(body: SampleImage.png.data))
        let manager = try await imageManager(icon: server.url.absoluteString) { $0.images.areFetched = false }
        await load(manager)

        #expect(server.requests.isEmpty)
        #expect(try icon(of: manager) == nil)
    }

    @Test func `stopping the manager cancels image downloads in progress`() async throws {
        let server = try await LoopbackServer(.silence)
        let manager = try await imageManager(icon: server.url.absoluteString)
        await manager.loadProducts()
        await server.arrival()
        await manager.stop()

        #expect(try icon(of: manager) == nil)
    }

    @Test(
        arguments: [
            (["lisbon.png"], "lisbon.png", "lisbon.png"),
            (["lisbon.png", "lisbon@2x.png"], "lisbon.png", "lisbon@2x.png"),
            (["lisbon@3x.png", "lisbon@2x~ipad.png"], "lisbon.png", "lisbon@3x.png"),
            (["lisbon@3x.png", "lisbon@3x~ipad.png"], "lisbon.png", "lisbon@3x~ipad.png"),
            (["lisbon~ipad.png", "lisbon.png"], "lisbon.png", "lisbon~ipad.png"),
            (["lisbon@2x.png"], "lisbon", "lisbon@2x.png"), (["icons/a.b@2x.jpg"], "icons/a.b.jpg", "icons/a.b@2x.jpg"),
            (["porto.png"], "lisbon.png", nil), (["../lisbon.png"], "../lisbon.png", nil), ([], "", nil),
        ] as [([String], String, String?)])
    func `a bundled image is found by its name, and the variant that fits the screen best is preferred`(
        files: [String], name: String, expected: String?
    ) async throws {
        for file in files { _ = try folder.write("an image", to: "app/\(file)") }
        let app = folder["app"]
        let manager = try await imageManager(icon: name) { options in
            options.bundledFiles = app
            (options.images.scale, options.images.idiom) = (3, "ipad")
        }
        await load(manager)

        #expect(
            try icon(of: manager)?.standardizedFileURL == expected.map { app.appending(path: $0).standardizedFileURL })
    }
}
