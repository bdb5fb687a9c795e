import Foundation
import Testing
import VitrineHostedContent
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

/// Content on a server that sends it only to owners.
@Suite(.hangLimit) struct ProtectedContentTests {
    /// Server whose files are below `/owners/`, and have one link after another.
    private struct Owners: ProtectedContentServer {
        let links: [URL]
        var error: ContentError?
        let linked = Recorder<URL>()

        func has(_ url: URL) -> Bool { url.path().hasPrefix("/owners/") }

        func checkPresence(of url: URL) async throws(ContentError) { if let error { throw error } }

        func link(to url: URL) async throws(ContentError) -> URL {
            linked.record(url)
            return links[min(linked.values.count, links.count) - 1]
        }
    }

    private let rome = ServedArchive()

    @Test func `a background transfer of a file for owners fetches a link, because it sends no credential`()
        async throws
    {
        let device = try BackgroundDevice()
        let server = try await HoldingServer(rome)
        let owners = Owners(links: [server.url(rome)])
        let app = device.launch(server: owners)
        let address = server.server.url.appending(path: "owners/rome.zip")
        try await app.downloads.begin([rome.wanted(at: address)])
        server.letGo()
        await app.until { $0.state == .finished }
        #expect(try device.installed()?.version == "1.0")
        #expect(owners.linked.values == [address])
        #expect(server.server.requests.map(\.path) == ["/rome.zip"])
    }

    @Test func `an interrupted background transfer of a file for owners continues after its bytes with a new link`()
        async throws
    {
        let device = try BackgroundDevice()
        let (bytes, half) = (rome.bytes, rome.half)
        let server = try await ContentServer({ _, _ in ContentServer.File(bytes) }) { number, reply in
            number == 0 ? reply.broken(after: half, then: .close) : nil
        }
        let address = server.url.appending(path: "owners/rome.zip")
        let links = ["1", "2"].map { address.appending(queryItems: [URLQueryItem(name: "code", value: $0)]) }
        let app = device.launch(server: Owners(links: links))
        _ = try await app.downloads.content(rome.wanted(at: address), isUserInitiated: true)

        #expect(try device.installed()?.version == "1.0")
        #expect(server.requests.map { $0.headers["range"] } == [nil, "bytes=\(rome.half)-999999999"])
    }

    struct Expiry: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Number of links that have expired when their transfers begin.
        let expired: Int
        let isInstalled: Bool
    }

    @Test(arguments: [
        Expiry(testDescription: "an expired link", expired: 1, isInstalled: true),
        Expiry(testDescription: "two expired links", expired: 2, isInstalled: false),
    ])
    func `a background transfer whose link has expired begins again with one new link`(_ expiry: Expiry) async throws {
        let device = try BackgroundDevice()
        let server = try await HoldingServer(rome)
        let old = server.server.url.appending(path: "expired.zip")
        let owners = Owners(links: Array(repeating: old, count: expiry.expired) + [server.url(rome)])
        let app = device.launch(server: owners)
        let address = server.server.url.appending(path: "owners/rome.zip")
        try await app.downloads.begin([rome.wanted(at: address)])
        server.letGo()
        await app.until { [.finished, .failed].contains($0.state) }
        #expect((try device.installed() != nil) == expiry.isInstalled)
        #expect(owners.linked.values == [address, address])
    }

    @Test(arguments: [nil, ContentError.Code.server, .network])
    func `a server for owners decides before a purchase whether it has the file`(_ code: ContentError.Code?)
        async throws
    {
        let address = try #require(URL(string: "https://shop.example/owners/rome.zip"))
        var web = WebContent(transport: DefaultTransport.patient)
        web.server = Owners(links: [address], error: code.map { ContentError(code: $0, reason: "the server refuses") })
        let request = try rome.wanted(at: address).request
        if code == .server {
            await #expect(throws: ContentError.self) { try await web.checkPresence(of: request) }
        } else {
            #expect(try await web.checkPresence(of: request) == (code == nil))
        }
    }
}
