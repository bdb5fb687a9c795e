import Foundation
import HTTPTypes
import Logging
import Testing
import VitrineAppServerAPI
import VitrineHostedContent
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

@testable import VitrineAppServer

/// Content of products, which is served only to devices whose customers own them.
struct ContentServingTests {
    private static let rome = "com.example.voyager.rome"
    private static let base = "/v1/apps/\(RouteTester.app)/content"

    /// Returns a server with the packed content of Rome, as an archive and as separate files, and with further files.
    private func tester(
        openFile: FileOpening? = nil, logger: Logger = .silent
    ) async throws -> (RouteTester, ContentPacker.Packed) {
        let tester = try await RouteTester(openFile: openFile, logger: logger)
        let package = try ContentPackage(folder: Repository.samplePackages.appending(component: "Rome"))
        let packed = try ContentPacker.pack(package, into: tester.folder.url, withFiles: true)
        let name = packed.manifestFile.lastPathComponent
        try tester.folder.write("signature", to: "\(name).minisig")
        try tester.folder.write("of nothing", to: "notes.txt")
        try tester.folder.write("archive without a manifest", to: "maps/madrid.zip")
        let content = "<key>hosted</key><true/><key>consumable</key><false/>"
        try await tester.publish(
            PlistText.document(
                """
                <array>
                <dict><key>productIdentifier</key><string>\(packed.manifest.productIdentifier)</string>\(content)
                <key>localContentPath</key><string>Rome</string>
                <key>contentURL</key><string>https://example.com/v1/apps/a/content/\(name)</string></dict>
                <dict><key>productIdentifier</key><string>com.example.voyager.madrid</string>\(content)
                <key>localContentPath</key><string>Madrid</string>
                <key>contentURL</key><string>https://example.com/content/maps/madrid.zip</string>
                <key>contentDigest</key><string>sha256:\(String(repeating: "0", count: 64))</string></dict>
                </array>
                """))
        return (tester, packed)
    }

    // MARK: Who

    @Test func `an owner can download the manifest, its signature, the archive and single files`() async throws {
        let (tester, packed) = try await tester()
        let device = try await tester.enroll()
        try await tester.give(packed.manifest.productIdentifier, to: device)
        let file = try #require(packed.manifest.files.last)
        let names = [
            packed.manifestFile.lastPathComponent, packed.manifestFile.lastPathComponent + ".minisig",
            packed.archive.lastPathComponent, "files/\(file.digest)",
        ]
        for name in names {
            let reply = try await tester.send(.get, "\(Self.base)/\(name)", token: device.token)
            #expect(reply.status == 200, "\(name)")
            #expect(reply.body == (try Data(contentsOf: tester.folder[name])), "\(name)")
            #expect(reply.headers[.cacheControl] == "private, no-cache")
        }
        for name in ["notes.txt", "missing.zip", "files/missing", "files", "", "maps/madrid.zip/"] {
            let reply = try await tester.send(.get, "\(Self.base)/\(name)", token: device.token)
            #expect(reply.status == 404, "\(name)")
        }
    }

    @Test func `the catalog determines which product an archive without a manifest belongs to`() async throws {
        let (tester, _) = try await tester()
        let device = try await tester.enroll()
        #expect(try await tester.send(.get, "\(Self.base)/maps/madrid.zip", token: device.token).status == 403)
        try await tester.give("com.example.voyager.madrid", to: device)
        #expect(try await tester.send(.get, "\(Self.base)/maps/madrid.zip", token: device.token).status == 200)
    }

    @Test func `a customer without purchases gets 403 for files that the catalog names, and 404 for other files`()
        async throws
    {
        let (tester, packed) = try await tester()
        let device = try await tester.enroll()
        let named = "\(Self.base)/\(packed.manifestFile.lastPathComponent)"
        let missing = try await tester.send(.get, "\(Self.base)/missing.zip", token: device.token)
        let unnamed = try await tester.send(
            .get, "\(Self.base)/\(packed.archive.lastPathComponent)", token: device.token)
        #expect((unnamed.status, unnamed.body) == (missing.status, missing.body))
        #expect(unnamed.status == 404)
        let refused = try await tester.send(.get, named, token: device.token)
        #expect(refused.status == 403)
        #expect(try refused.code == "not-owned")
        #expect(try await tester.send(.get, named).status == 401)
        #expect(try await tester.send(.get, "\(Self.base)/missing.zip").status == 401)
        #expect(try await tester.send(.get, named, token: "wrong").status == 401)
        #expect(
            try await tester.send(.post, "/v1/me/links", token: device.token, body: Self.link(to: "notes.txt")).status
                == 404)
    }

    /// Files of the content of Rome that cannot be opened.
    enum Shortage: String, CaseIterable {
        case all, manifests
    }

    @Test(arguments: Shortage.allCases)
    func `a shortage of open files is answered as unavailable, and logged once until files can be opened`(
        _ shortage: Shortage
    ) async throws {
        let isShort = Locked(false)
        let lines = LogLines()
        var logger = Logger(label: "test") { _ in RecordingHandler(lines: lines) }
        logger.logLevel = .warning
        let (tester, packed) = try await tester(
            openFile: { names, folder throws(ContentUnavailable) in
                let isConcerned = shortage == .all || names.last?.hasSuffix(".plist") == true
                if isConcerned, isShort.withLock(\.self), let error = ContentUnavailable(errno: EMFILE) { throw error }
                return try OpenFile(names, below: folder)
            }, logger: logger)
        let device = try await tester.enroll()
        try await tester.give(packed.manifest.productIdentifier, to: device)
        // What has been read of the manifests would be remembered for a second.
        isShort.withLock { $0 = true }
        let path = "\(Self.base)/\(packed.archive.lastPathComponent)"
        let link = try Self.link(to: packed.archive.lastPathComponent)
        for _ in 0..<2 {
            let reply = try await tester.send(.get, path, token: device.token)
            #expect(reply.status == 503)
            #expect(try reply.code == "unavailable")
            #expect(try await tester.send(.post, "/v1/me/links", token: device.token, body: link).status == 503)
        }
        isShort.withLock { $0 = false }
        #expect(try await tester.send(.get, path, token: device.token).status == 200)
        #expect(lines.all.count { $0.contains("as many open files") } == 1)
    }

    // MARK: What

    @Test func `file requests support conditional headers and byte ranges`() async throws {
        let (tester, packed) = try await tester()
        let device = try await tester.enroll()
        try await tester.give(packed.manifest.productIdentifier, to: device)
        let path = "\(Self.base)/\(packed.archive.lastPathComponent)"
        let content = try Data(contentsOf: packed.archive)
        let whole = try await tester.send(.get, path, token: device.token)
        let tag = try #require(whole.headers[.eTag])
        #expect(tag == "\"\(packed.manifest.archive.digest)\"")
        #expect(whole.headers[.acceptRanges] == "bytes")
        #expect(whole.headers[.contentType] == "application/zip")
        let date = try #require(whole.headers[.lastModified])

        let cases: [(HTTPFields, Int, Data, String?)] = [
            ([.ifNoneMatch: tag], 304, Data(), nil), ([.ifNoneMatch: "*"], 304, Data(), nil),
            ([.ifModifiedSince: date], 304, Data(), nil), ([.ifMatch: "\"other\""], 412, Data(), nil),
            ([.range: "bytes=2-5"], 206, content[2..<6], "bytes 2-5/\(content.count)"),
            ([.range: "bytes=2-5", .ifRange: tag], 206, content[2..<6], "bytes 2-5/\(content.count)"),
            ([.range: "bytes=2-5", .ifRange: "\"other\""], 200, content, nil),
            ([.range: "bytes=2-5", .ifRange: date], 200, content, nil),
            (
                [.range: "bytes=-3"], 206, content.suffix(3),
                "bytes \(content.count - 3)-\(content.count - 1)/\(content.count)"
            ),
            ([.range: "bytes=0-1,4-5"], 200, content, nil),
            ([.range: "bytes=\(content.count)-"], 416, Data(), "bytes */\(content.count)"),
            ([.range: "bytes=2-5", .ifNoneMatch: tag], 304, Data(), nil),
        ]
        for (headers, status, body, range) in cases {
            let reply = try await tester.send(.get, path, headers, token: device.token)
            #expect(reply.status == status, "\(headers)")
            #expect(reply.body == body, "\(headers)")
            #expect(reply.headers[.contentRange] == range, "\(headers)")
            #expect(reply.headers[.eTag] == tag, "\(headers)")
            if status != 304 { #expect(reply.headers[.contentLength] == String(body.count), "\(headers)") }
        }
        let head = try await tester.send(.head, path, [.range: "bytes=2-5"], token: device.token)
        #expect((head.status, head.body.count, head.headers[.contentLength]) == (200, 0, String(content.count)))
    }

    @Test func `a large file is sent completely, and its tag changes with its content`() async throws {
        let (tester, _) = try await tester()
        let device = try await tester.enroll()
        try await tester.give("com.example.voyager.madrid", to: device)
        let path = "\(Self.base)/maps/madrid.zip"
        var generator = SeededGenerator(seed: 3)
        var content = Data((0..<3_000_001).map { _ in UInt8.random(in: 0...255, using: &generator) })
        try tester.folder.write(content, to: "maps/madrid.zip")
        let first = try await tester.send(.get, path, token: device.token)
        #expect(first.body == content)
        let part = try await tester.send(.get, path, [.range: "bytes=999999-2500000"], token: device.token)
        #expect(part.status == 206)
        #expect(part.body == content[999_999...2_500_000])
        content[1_000_000] ^= 1
        try tester.folder.write(content, to: "maps/new.zip")
        let places = ["maps/new.zip", "maps/madrid.zip"].map { tester.folder[$0].path(percentEncoded: false) }
        #expect(rename(places[0], places[1]) == 0)
        let second = try await tester.send(
            .get, path, [.range: "bytes=0-9", .ifRange: first.headers[.eTag] ?? ""], token: device.token)
        #expect(second.status == 200)
        #expect(second.body == content)
        #expect(second.headers[.eTag] != first.headers[.eTag])
    }

    @Test func `concurrent file transfers share a limited amount of memory`() {
        let transfers = FileTransfers()
        for count in 1...100 {
            transfers.begin()
            let most = count * (transfers.blockSize + FileTransfers.waiting)
            #expect(most <= max(FileTransfers.memory, count * 96 * 1024))
        }
        for _ in 1...100 { transfers.end() }
        transfers.begin()
        #expect(transfers.blockSize == 256 * 1024)
    }

    // MARK: Paths

    @Test(arguments: [
        "../secret", "..%2Fsecret", "%2e%2e/secret", "%2E%2E%2Fsecret", "maps/../notes.txt", "maps/..%2fnotes.txt",
        "maps%2Fmadrid.zip", "maps//madrid.zip", "/maps/madrid.zip", "./maps/madrid.zip", "maps/./madrid.zip",
        "maps/madrid.zip%00", "maps/madrid.zip%00.txt", "maps\\madrid.zip", "maps%5Cmadrid.zip", ".secret", "link.zip",
        "folder/madrid.zip", "maps/pipe", "maps", "maps/madrid.zip/", "maps/madrid.zip/..", "%", "%zz", "%ff%fe",
        "maps/madrid.zip%0A", "maps;a/madrid.zip", "..;/secret", "maps/MADRID.ZIP",
    ]) func `a manipulated path does not open a file`(_ trick: String) async throws {
        let (tester, _) = try await tester()
        let device = try await tester.enroll()
        for product in ["madrid", "rome"] { try await tester.give("com.example.voyager.\(product)", to: device) }
        try tester.folder.write("secret", to: ".secret")
        let files = FileManager.default
        try files.createSymbolicLink(
            at: tester.folder["link.zip"], withDestinationURL: tester.folder["maps/madrid.zip"])
        try files.createSymbolicLink(at: tester.folder["folder"], withDestinationURL: tester.folder["maps"])
        #expect(mkfifo(tester.folder["maps/pipe"].path(percentEncoded: false), 0o600) == 0)
        #expect(try await tester.send(.get, "\(Self.base)/maps/madrid.zip", token: device.token).status == 200)

        let reply = try await tester.send(.get, "\(Self.base)/\(trick)", token: device.token)
        #expect([400, 404].contains(reply.status))
        let link = try await tester.send(.post, "/v1/me/links", token: device.token, body: Self.link(to: trick))
        #expect(link.status == 404)
    }

    // MARK: Links

    private static func link(to path: String) throws -> Data { try JSONEncoder().encode(["path": path]) }

    @Test func `a download link is valid for ten minutes without a device token`() async throws {
        let (tester, packed) = try await tester()
        let device = try await tester.enroll()
        let name = packed.archive.lastPathComponent
        #expect(
            try await tester.send(.post, "/v1/me/links", token: device.token, body: Self.link(to: name)).status == 404)
        try await tester.give(packed.manifest.productIdentifier, to: device)
        let made = try await tester.send(.post, "/v1/me/links", token: device.token, body: Self.link(to: name))
        #expect(made.status == 201)
        let link = try #require(try made.json["link"]?.text)
        #expect(link.hasPrefix("\(Self.base)/\(name)?"))
        #expect(try made.json["until"]?.number == Int64(tester.clock.now.timeIntervalSince1970 + 600) * 1_000)

        #expect(try await tester.send(.get, link).body == Data(contentsOf: packed.archive))
        #expect(try await tester.send(.head, link).status == 200)
        #expect(try await tester.send(.get, link, [.range: "bytes=0-1"]).status == 206)
        tester.clock.advance(by: 599)
        #expect(try await tester.send(.get, link).status == 200)
        tester.clock.advance(by: 1)
        #expect(try await tester.send(.get, link).status == 401)
    }

    @Test func `a modified download link is refused`() async throws {
        let (tester, packed) = try await tester()
        let device = try await tester.enroll()
        let name = packed.archive.lastPathComponent
        try await tester.give(packed.manifest.productIdentifier, to: device)
        let made = try await tester.send(.post, "/v1/me/links", token: device.token, body: Self.link(to: name))
        let link = try #require(try made.json["link"]?.text)
        let until = try #require(try made.json["until"]?.number)
        let code = try #require(link.split(separator: "=").last.map(String.init))
        let changed = [
            link.replacing(name, with: packed.manifestFile.lastPathComponent), link.replacing(name, with: "notes.txt"),
            link.replacing(RouteTester.app, with: "com.example.other"),
            link.replacing("until=\(until)", with: "until=\(until + 1)"),
            link.replacing("until=\(until)", with: "until=9223372036854775807"),
            link.replacing("until=\(until)", with: "until=-1"), link.replacing("until=\(until)", with: "until=0"),
            link.replacing("until=\(until)&", with: ""), link.replacing("&code=\(code)", with: ""),
            link.replacing(code, with: ""), link.replacing(code, with: String(code.dropLast())),
            link.replacing(code, with: code.uppercased() + "0"), link.replacing(code, with: String(code.reversed())),
            "\(Self.base)/\(name)?code=x&code=\(code)&until=\(until)",
        ]
        #expect(Set(changed).count == changed.count)
        for changed in changed { #expect(try await tester.send(.get, changed).status == 401, "\(changed)") }
        #expect(try await tester.send(.get, link).status == 200)
    }
}
