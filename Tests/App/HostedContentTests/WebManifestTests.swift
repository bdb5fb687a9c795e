import Foundation
import HTTPTypes
import Testing
import VitrineHostedContent
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

/// Content that is downloaded with a manifest.
@Suite(.hangLimit) struct WebManifestTests {
    private static let archive = Data.random(100_000)

    private static func manifest(
        product: String = "rome", version: String = "1.0", name: String = "rome.zip", archive: Data = archive
    ) -> ContentManifest {
        ContentManifest(
            productIdentifier: product, version: version,
            archive: .init(name: name, length: archive.count, digest: archive.digestText),
            files: [
                .init(path: "Contents/guide.md", length: 1, digest: Data("a".utf8).digestText),
                .init(path: "ContentInfo.plist", length: 1, digest: Data("b".utf8).digestText),
            ])
    }

    private static func bytes(_ manifest: ContentManifest) -> Data {
        (try? manifest.bytes()).map { Data($0) } ?? Data()
    }

    private func server(_ files: [String: Data]) async throws -> ContentServer {
        try await ContentServer { _, path in files[path].map { ContentServer.File($0) } }
    }

    private func fetch(
        _ request: ContentRequest, _ download: WebDownload? = nil
    ) async throws(ContentError) -> (Data, ContentManifest?) {
        guard let download = try? download ?? WebDownload() else {
            throw ContentError(code: .storage, reason: "there is no folder")
        }
        let fetched = try await download.content().fetch(request, in: download.folder.url) { _ in }
        guard case .archive(let url, let manifest) = fetched, let data = try? Data(contentsOf: url) else {
            throw ContentError(code: .storage, reason: "no archive has come")
        }
        return (data, manifest)
    }

    @Test func `the archive is downloaded from the folder of the manifest's final URL after redirects`() async throws {
        let files = ["/v1/rome.plist": Self.bytes(Self.manifest()), "/v1/rome.zip": Self.archive]
        let server = try await server(files)
        let front = try await LoopbackServer(.redirect(to: server.url.appending(path: "v1/rome.plist")))
        for url in [
            server.url.appending(path: "v1/rome.plist"),
            front.url.appending(path: "rome.PLIST").appending(queryItems: [
                URLQueryItem(name: "a", value: "b/c")
            ]),
        ] {
            let (data, manifest) = try await fetch(ContentRequest(productIdentifier: "rome", urls: [url]))
            #expect(data == Self.archive)
            #expect(manifest?.archive.name == "rome.zip")
            #expect(manifest?.files.count == 2)
        }
        let paths = ["/v1/rome.plist", "/v1/rome.zip"]
        #expect(server.requests.map(\.path) == paths + paths)
    }

    @Test func `the digest and length in the catalog apply to the manifest, not to the archive`() async throws {
        let manifest = Self.bytes(Self.manifest())
        let server = try await server(["/rome.plist": manifest, "/rome.zip": Self.archive])
        let request = ContentRequest(
            productIdentifier: "rome", version: "1.0", urls: [server.url.appending(path: "rome.plist")],
            digest: manifest.digestText, length: manifest.count)

        #expect(try await fetch(request).0 == Self.archive)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var manifest = bytes(WebManifestTests.manifest())
        var version: String?
        var digest: String?
        var length: Int?
        var code = ContentError.Code.wrongContent
        let reason: String
    }

    private static let refusals = [
        Refusal(
            testDescription: "another product", manifest: bytes(manifest(product: "athens")),
            reason: "the manifest is for athens, not for rome"),
        Refusal(
            testDescription: "another version", version: "1.1",
            reason: "the manifest is for the version 1.0, not for 1.1"),
        Refusal(
            testDescription: "another digest", digest: archive.digestText,
            reason: "the manifest does not have the digest that the catalog contains for it"),
        Refusal(testDescription: "another length", length: 7, reason: " bytes instead of 7"),
        Refusal(testDescription: "no property list", manifest: Data("hello".utf8), reason: "the manifest: "),
        Refusal(
            testDescription: "more than 16 MiB", manifest: Data(count: 17 << 20),
            reason: "the reply has more than 16777216 bytes"),
        Refusal(
            testDescription: "an archive elsewhere",
            manifest: Data(
                String(decoding: bytes(manifest()), as: UTF8.self).replacing("rome.zip", with: "../rome.zip").utf8),
            reason: "the manifest: "),
        Refusal(
            testDescription: "an archive that is not there", manifest: bytes(manifest(name: "gone.zip")), code: .server,
            reason: "the server answered with the status 404"),
        Refusal(
            testDescription: "an archive of another length", manifest: bytes(manifest(archive: archive + [0])),
            reason: "the file on the server has 100000 bytes instead of 100001"),
        Refusal(
            testDescription: "an archive with another digest",
            manifest: bytes(manifest(archive: archive.dropLast() + [archive[99_999] ^ 1])),
            reason: "the received file does not have the required digest"),
    ]

    @Test(arguments: refusals)
    func `a manifest that contradicts the catalog, or an archive that contradicts the manifest, is refused`(
        refusal: Refusal
    ) async throws {
        let server = try await server(["/rome.plist": refusal.manifest, "/rome.zip": Self.archive])
        let request = ContentRequest(
            productIdentifier: "rome", version: refusal.version, urls: [server.url.appending(path: "rome.plist")],
            digest: refusal.digest, length: refusal.length)
        do throws(ContentError) {
            Issue.record("\(try await fetch(request).0.count) bytes have come")
        } catch {
            #expect(error.code == refusal.code)
            #expect(error.reason.contains(refusal.reason), "\(error.reason)")
        }
    }

    @Test func `a manifest downloaded over http from a remote host is accepted only with a known digest`() async throws
    {
        let manifest = Self.bytes(Self.manifest())
        let server = try await server(["/rome.plist": manifest, "/rome.zip": Self.archive])
        let url = try #require(URL(string: "http://content.example/rome.plist"))
        let transport = Renamed(authority: "127.0.0.1:\(server.url.port ?? 0)")
        var request = ContentRequest(productIdentifier: "rome", urls: [url])
        let download = try WebDownload(transport: transport)
        do throws(ContentError) {
            Issue.record("\(try await fetch(request, download).0.count) bytes have come")
        } catch {
            #expect(error.code == .wrongContent)
            #expect(
                error.reason
                    == "\(url): the manifest is downloaded over HTTP without TLS, and the catalog has no digest of it")
        }
        request.digest = manifest.digestText
        #expect(try await fetch(request, download).0 == Self.archive)
    }
}

/// Transport that sends all requests to one server, as if other host names were its aliases.
private struct Renamed: HTTPTransport {
    let authority: String
    private let transport = DefaultTransport.patient

    init(authority: String) { self.authority = authority }

    func receive(
        _ request: HTTPRequest, body: Data, limits: HTTPLimits,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPTransportError) {
        var request = request
        request.authority = authority
        try await transport.receive(request, body: body, limits: limits, head: head, part: part)
    }
}
