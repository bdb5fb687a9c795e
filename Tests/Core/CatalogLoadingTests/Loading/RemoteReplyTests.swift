import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineNetworking
import VitrinePropertyList
import VitrineSupport
import VitrineTestSupport

/// Replies of a server that the loader accepts or refuses.
@Suite(.hangLimit) struct RemoteReplyTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let answer: LoopbackServer.Answer
        var limits = HTTPLimits()
        /// Identifiers of the loaded products; `nil` if the reply is refused.
        var identifiers: [String]?
        var code: CatalogError.Code?
        /// Part of the error message.
        var reason: String?
        /// Time in seconds until the server may be asked again.
        var retry: TimeInterval?
    }

    private static let html = "<!DOCTYPE html>\n<html><body>Not here</body></html>"

    @Test(arguments: [
        Row(testDescription: "a catalog", answer: .catalog("b"), identifiers: ["b"]),
        Row(
            testDescription: "a list of identifiers as a property list",
            answer: .text(PlistText.document("<array><string>b</string></array>")), identifiers: ["b"]),
        Row(testDescription: "a list in JSON", answer: .json(" \n[\"b\", \"c\"]\n"), identifiers: ["b", "c"]),
        Row(
            testDescription: "a list in JSON of no named type", answer: .text("[\"b\", \"\\u0063\"]"),
            identifiers: ["b", "c"]),
        Row(
            testDescription: "a catalog that is called a web page",
            answer: .text(PlistText.catalog(["b"]), headers: ["Content-Type": "text/html"]), identifiers: ["b"]),
        Row(
            testDescription: "a list with a product twice", answer: .json("[\"b\", \"b\"]"), code: .hasErrors,
            reason: "b"),
        Row(
            testDescription: "a list with an identifier that is none", answer: .json("[\"b\", \"\"]"),
            code: .hasErrors, reason: "has no productIdentifier"),
        Row(
            testDescription: "a catalog in JSON",
            answer: .json(#"{"products": [{"productIdentifier": "b", "consumable": false}], "catalogVersion": 2}"#),
            identifiers: ["b"]),
        Row(
            testDescription: "products in JSON with a byte order mark",
            answer: .json("\u{FEFF}" + #"[{"productIdentifier": "b", "consumable": false}, "c"]"#),
            identifiers: ["b", "c"]),
        Row(
            testDescription: "a list with something else in it", answer: .json("[\"b\", 3]"), code: .hasErrors,
            reason: "a product must be a dictionary or an identifier, but this is an integer"),
        Row(
            testDescription: "a list that is cut off", answer: .json("[\"b\", \"c"), code: .notAPropertyList,
            reason: "a string has no closing quotation mark"),
        Row(
            testDescription: "a product in JSON with an error",
            answer: .json(#"[{"productIdentifier": "b", "consumable": true}]"#), code: .hasErrors,
            reason: "storageKey"),
        Row(
            testDescription: "lists in lists",
            answer: .json(String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)),
            code: .notAPropertyList, reason: "nested more than 128 levels deep"),
        Row(
            testDescription: "a list of more than a catalog has",
            answer: .json("[\"b\"" + String(repeating: ",\"b\"", count: 200_000) + "]"), code: .hasErrors,
            reason: "at most 200000 products"),
        Row(
            testDescription: "an object in JSON without products", answer: .json("{\"products\": []}"),
            code: .empty, reason: "no product"),
        Row(
            testDescription: "an error of the server in JSON",
            answer: .json(#"{"error_code": "expired", "error_message": "Your token has expired."}"#),
            code: .hasErrors, reason: "a catalog in JSON must be an array of products or identifiers"),
        Row(testDescription: "an empty list", answer: .json("[]"), code: .empty, reason: "no product"),
        Row(
            testDescription: "an empty property list", answer: .text(PlistText.document("<array/>")), code: .empty,
            reason: "no product"),
        Row(testDescription: "nothing", answer: .reply(), code: .empty, reason: "the server sent an empty file"),
        Row(
            testDescription: "white space", answer: .text(" \r\n\t"), code: .empty,
            reason: "the server sent an empty file"),
        Row(
            testDescription: "a byte order mark alone", answer: .text("\u{FEFF}\n"), code: .empty,
            reason: "the server sent an empty file"),
        Row(testDescription: "no content", answer: .reply(204), code: .status, reason: "204"),
        Row(
            testDescription: "a web page", answer: .text(html, headers: ["Content-Type": "text/html"]),
            code: .webPage, reason: "the server sent a web page, not a catalog"),
        Row(
            testDescription: "a web page under another type",
            answer: .text(html, headers: ["Content-Type": "application/x-plist"]), code: .webPage, reason: "a web page"),
        Row(
            testDescription: "a web page in XML",
            answer: .text("<?xml version=\"1.0\"?>\n<!-- -->\n<html xmlns=\"http://www.w3.org/1999/xhtml\"/>"),
            code: .webPage, reason: "a web page"),
        Row(
            testDescription: "a text called a web page",
            answer: .text("Sorry!", headers: ["Content-Type": "text/html"]),
            code: .webPage, reason: "a web page"),
        Row(testDescription: "plain text", answer: .text("Sorry!"), code: .notAPropertyList, reason: "plain text"),
        Row(
            testDescription: "a property list that is broken",
            answer: .text(PlistText.document("<array><oops/></array>")),
            code: .notAPropertyList, reason: "<oops>"),
        Row(
            testDescription: "a catalog with an error", answer: .text(PlistText.document("<array><dict/></array>")),
            code: .hasErrors, reason: "has no productIdentifier"),
        Row(testDescription: "not found", answer: .reply(404), code: .status, reason: "404"),
        Row(testDescription: "a failure", answer: .reply(500), code: .status, reason: "500"),
        Row(
            testDescription: "too many requests", answer: .reply(429, headers: ["Retry-After": "90"]), code: .status,
            reason: "429", retry: 90),
        Row(
            testDescription: "down for a day", answer: .reply(503, headers: ["Retry-After": "86400"]), code: .status,
            reason: "503", retry: 3_600),
        Row(
            testDescription: "a reply that is cut off", answer: .broken(after: 10, of: 100), code: .unreachable,
            reason: "closed before"),
        Row(
            testDescription: "a connection that is reset", answer: .reset, code: .unreachable,
            reason: "the server has closed the connection"),
        Row(
            testDescription: "a head that never ends", answer: .endlessHead,
            limits: HTTPLimits(firstByte: 0), code: .timeout, reason: "did not begin within 0 s"),
        Row(
            testDescription: "a body that stalls", answer: .broken(after: 10, of: 100, then: .silence),
            limits: HTTPLimits(stall: 0), code: .timeout, reason: "no more data"),
        Row(
            testDescription: "a body that never ends", answer: .endless(), limits: HTTPLimits(size: 100_000),
            code: .tooLarge, reason: "more than 100000 bytes"),
        Row(
            testDescription: "a body that is said to be long", answer: .endless(claimed: 200_000),
            limits: HTTPLimits(size: 100_000), code: .tooLarge, reason: "more than 100000 bytes"),
    ])
    func `only a valid reply of the catalog server replaces the cached catalog or renews its date`(_ row: Row)
        async throws
    {
        let scene = try await LoaderScene()
        _ = try await scene.loader().load()
        let cached = try scene.cacheContent()
        scene.clock.advance(by: 2 * 86_400)
        scene.answer(row.answer)
        let loaded = try await scene.loader(scene.remote(limits: row.limits)).load()

        #expect(loaded.failure?.code == row.code)
        #expect(loaded.identifiers == row.identifiers ?? ["a"])
        #expect(loaded.origin == (row.identifiers == nil ? .cache : .remote))
        #expect(try (scene.cacheContent() == cached) == (row.identifiers == nil))
        #expect(await scene.loader().storedCatalog()?.identifiers == row.identifiers ?? ["a"])
        if row.identifiers == nil {
            let reason = try #require(loaded.failure?.reason)
            #expect(try reason.contains(#require(row.reason)), "\(reason)")
            #expect(loaded.failure?.url == scene.url)
            #expect(loaded.failure?.retryDate == row.retry.map { scene.clock.now + $0 })
            #expect(loaded.checkedDate == scene.clock.now - 2 * 86_400)
        }
        let fresh = try await LoaderScene(row.answer)
        let first = fresh.loader(fresh.remote(limits: row.limits))
        if let identifiers = row.identifiers {
            #expect(try await first.load().identifiers == identifiers)
        } else {
            #expect(await #expect(throws: CatalogError.self) { try await first.load() }?.code == row.code)
            #expect(!FileManager.default.fileExists(atPath: fresh.cacheFile.path()))
        }
    }

    @Test func `catalog errors are reported with their position and diagnostics`() async throws {
        let scene = try await LoaderScene(.text(PlistText.document("<array><dict/></array>")))
        let error = await #expect(throws: CatalogError.self) { try await scene.loader().load() }

        #expect(error?.position?.line == 4)
        #expect(error?.diagnostics.isEmpty == false)
        #expect(error?.description.hasPrefix("\(scene.url.absoluteString):4:8: ") == true)
    }

    @Test func `redirects to the catalog are followed, and redirect loops and insecure redirects are refused`()
        async throws
    {
        let scene = try await LoaderScene()
        let chain = try await LoopbackServer(.redirect(to: scene.url, status: 301))
        let first = try await LoopbackServer(.redirect(to: chain.url, status: 301))
        #expect(try await scene.loader(scene.remote(first.url)).load().identifiers == ["a"])

        let loop = try await LoopbackServer { _ in .reply(302, headers: ["Location": "/"]) }
        let unsafe = try await LoopbackServer(
            .reply(302, headers: ["Location": "http://catalogs.example/catalog.plist"]))
        for (server, code) in [(loop, CatalogError.Code.redirect), (unsafe, .addressRefused)] {
            let loaded = try await scene.loader(scene.remote(server.url), local: scene.local("local")).load()
            #expect(loaded.identifiers == ["local"])
            #expect(loaded.failure?.code == code)
        }
    }

    @Test func `if the server cannot be reached, the local catalog is used, and without one the load fails`()
        async throws
    {
        let scene = try await LoaderScene()
        let (dead, silent) = (try DeadAddress(), try SilentAddress())
        for (url, limits, code) in [
            (dead.url, HTTPLimits(), CatalogError.Code.unreachable), (silent.url, HTTPLimits(firstByte: 0), .timeout),
        ] {
            let remote = scene.remote(url, limits: limits)
            #expect(await #expect(throws: CatalogError.self) { try await scene.loader(remote).load() }?.code == code)
            let loaded = try await scene.loader(remote, local: scene.local("local")).load()
            #expect(loaded.identifiers == ["local"])
            #expect(loaded.failure?.code == code)
        }
    }

    @Test func `a catalog address without HTTPS or with embedded credentials is refused`() async throws {
        let scene = try await LoaderScene()
        for text in ["http://catalogs.example/a.plist", "ftp://127.0.0.1/a.plist", "https://u:p@127.0.0.1/a.plist"] {
            let url = try #require(URL(string: text))
            let error = await #expect(throws: CatalogError.self) { try await scene.loader(scene.remote(url)).load() }
            #expect(error?.code == .addressRefused)
        }
    }
}
