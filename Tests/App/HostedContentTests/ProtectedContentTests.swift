import Foundation
import Testing
import VitrineHostedContent
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

/// Content on a server that sends it only to owners.
@Suite(.hangLimit) struct ProtectedContentTests {
    /// Server whose files are below `/owners/`, and have one link.
    private struct Owners: ProtectedContentServer {
        let link: URL
        var error: ContentError?
        let linked = Recorder<URL>()

        func has(_ url: URL) -> Bool { url.path().hasPrefix("/owners/") }

        func checkPresence(of url: URL) async throws(ContentError) { if let error { throw error } }

        func link(to url: URL) async throws(ContentError) -> URL {
            linked.record(url)
            return link
        }
    }

    private let rome = ServedArchive()

    @Test func `a background transfer of a file for owners fetches a link, because it sends no credential`()
        async throws
    {
        let device = try BackgroundDevice()
        let server = try await HoldingServer(rome)
        let owners = Owners(link: server.url(rome))
        let app = device.launch(server: owners)
        let address = server.server.url.appending(path: "owners/rome.zip")
        try await app.downloads.begin([rome.wanted(at: address)])
        server.letGo()
        await app.until { $0.state == .finished }
        #expect(try device.installed()?.version == "1.0")
        #expect(owners.linked.values == [address])
        #expect(server.server.requests.map(\.path) == ["/rome.zip"])
    }

    @Test(arguments: [nil, ContentError.Code.server, .network])
    func `a server for owners decides before a purchase whether it has the file`(_ code: ContentError.Code?)
        async throws
    {
        let address = try #require(URL(string: "https://shop.example/owners/rome.zip"))
        var web = WebContent(transport: DefaultTransport.patient)
        web.server = Owners(link: address, error: code.map { ContentError(code: $0, reason: "the server refuses") })
        let request = try rome.wanted(at: address).request
        if code == .server {
            await #expect(throws: ContentError.self) { try await web.checkPresence(of: request) }
        } else {
            #expect(try await web.checkPresence(of: request) == (code == nil))
        }
    }
}
