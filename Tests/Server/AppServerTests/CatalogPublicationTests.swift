import Foundation
import HTTPTypes
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineCatalog
import VitrineCatalogLoading
import VitrineNetworking
import VitrinePropertyList
import VitrineReceipts
import VitrineTestSupport

@testable import VitrineAppServer

/// Publication of catalogs by operators, and the catalogs that devices then load.
struct CatalogPublicationTests {
    private static let path = "/v1/admin/catalogs/\(RouteTester.app)"
    private static let base = "/v1/apps/\(RouteTester.app)/catalog"

    private static func catalog(_ version: Int?, _ product: String = "map") -> Data {
        let version = version.map { "<key>catalogVersion</key><integer>\($0)</integer>" } ?? ""
        return Data(
            PlistText.document(
                """
                <dict>\(version)<key>products</key><array>
                <dict><key>productIdentifier</key><string>com.example.voyager.\(product)</string>
                <key>consumable</key><false/></dict></array></dict>
                """
            ).utf8)
    }

    private static func body(_ files: SignedCatalogFiles) throws -> Data {
        try JSONEncoder().encode([
            "catalog": files.catalog, "signature": files.signature, "keys": files.keys,
            "keysSignature": files.keysSignature,
        ])
    }

    private static func body(_ catalog: Data) throws -> Data { try JSONEncoder().encode(["catalog": catalog]) }

    @Test func `devices load the published catalog`() async throws {
        let tester = try await RouteTester()
        #expect(try await tester.send(.get, "\(Self.base)/catalog.plist").status == 404)
        let reply = try await tester.operate(.post, Self.path, body: Self.body(Self.catalog(3)))
        #expect(reply.status == 201)
        #expect(try reply.json["version"]?.number == 3)
        #expect(try reply.json["products"]?.number == 1)

        let loaded = try await tester.send(.get, "\(Self.base)/catalog.plist")
        #expect(loaded.body == Self.catalog(3))
        #expect(loaded.headers[.cacheControl] == "no-cache")
        let tag = try #require(loaded.headers[.eTag])
        #expect(try await tester.send(.get, "\(Self.base)/catalog.plist", [.ifNoneMatch: tag]).status == 304)
        #expect(
            try await tester.send(.head, "\(Self.base)/catalog.plist").headers[.contentLength] == "\(loaded.body.count)"
        )
        for name in [
            "catalog.plist.minisig", "keys.plist", "keys.plist.minisig", "other.plist", "..%2Fcatalog.plist", "",
        ] {
            #expect(try await tester.send(.get, "\(Self.base)/\(name)").status == 404, "\(name)")
        }
        #expect(try await tester.send(.get, "/v1/apps/com.example.other/catalog/catalog.plist").status == 404)

        #expect(try await tester.operate(.post, Self.path, body: Self.body(Self.catalog(4, "atlas"))).status == 201)
        let next = try await tester.send(.get, "\(Self.base)/catalog.plist", [.ifNoneMatch: tag])
        #expect(next.body == Self.catalog(4, "atlas"))
    }

    @Test func `a published catalog is served with the media type of its format`() async throws {
        let tester = try await RouteTester()
        func type(_ name: String) async throws -> String? {
            try await tester.send(.get, "\(Self.base)/\(name)").headers[.contentType]
        }
        let json = Data(
            #"{"products": [{"productIdentifier": "com.example.voyager.map", "consumable": false}]}"#.utf8)
        #expect(try await tester.operate(.post, Self.path, body: Self.body(json)).status == 201)
        #expect(try await type("catalog.plist") == "application/json")

        #expect(try await tester.operate(.post, Self.path, body: Self.body(Self.catalog(3))).status == 201)
        #expect(try await type("catalog.plist") == "application/x-plist")
    }

    @Test(arguments: [
        ("a/b.json", "application/json"), ("a.PLIST", "application/x-plist"),
        ("a.plist.minisig", "text/plain; charset=utf-8"), ("a.zip", "application/zip"),
        ("a.tar.zst", "application/zstd"), ("a.tar.xz", "application/x-xz"),
        ("a.tar", "application/x-tar"), ("a", "application/octet-stream"),
    ])
    func `the extension of a file decides its media type`(name: String, type: String) {
        #expect(MediaType.of(fileName: name) == type)
    }

    struct Refusal: CustomTestStringConvertible, Sendable {
        let id: String
        let body: Data
        let status: Int
        let code: String

        init(_ id: String, _ status: Int, _ code: String, _ body: Data) {
            (self.id, self.status, self.code, self.body) = (id, status, code, body)
        }

        var testDescription: String { id }
    }

    static let refusals: [Refusal] = [
        Refusal("an older version", 409, "older", encoded(["catalog": catalog(2)])),
        Refusal("no version any more", 409, "older", encoded(["catalog": catalog(nil)])),
        Refusal("no property list", 422, "not-a-property-list", encoded(["catalog": Data("<plist>".utf8)])),
        Refusal("an empty file", 422, "not-a-property-list", encoded(["catalog": Data()])),
        Refusal(
            "no product", 422, "has-errors", encoded(["catalog": Data(PlistText.document("<array/>").utf8)])),
        Refusal(
            "an error", 422, "has-errors",
            encoded([
                "catalog": Data(PlistText.document("<array><dict><key>consumable</key><false/></dict></array>").utf8)
            ])),
        Refusal(
            "a part of a signature", 400, "missing-file", encoded(["catalog": catalog(4), "keys": Data("a".utf8)])),
        Refusal(
            "a signature that is none", 422, "signature",
            encoded([
                "catalog": catalog(4), "signature": Data("a".utf8), "keys": Data("b".utf8),
                "keysSignature": Data("c".utf8),
            ])),
        Refusal(
            "a signature that is too long", 413, "too-large",
            encoded([
                "catalog": catalog(4), "signature": Data(count: 65_537), "keys": Data("b".utf8),
                "keysSignature": Data("c".utf8),
            ])),
        Refusal("no catalog", 400, "invalid", Data("{}".utf8)),
        Refusal("no base64", 400, "invalid", Data(#"{"catalog": "<plist>"}"#.utf8)),
        Refusal("no JSON", 400, "invalid", Data("catalog".utf8)),
        Refusal("no body", 400, "invalid", Data()),
    ]

    private static func encoded(_ files: [String: Data]) -> Data { (try? JSONEncoder().encode(files)) ?? Data() }

    @Test(arguments: refusals) func `a refused catalog does not replace the published one`(_ test: Refusal) async throws
    {
        let tester = try await RouteTester()
        #expect(try await tester.operate(.post, Self.path, body: Self.body(Self.catalog(3))).status == 201)
        let reply = try await tester.operate(.post, Self.path, body: test.body)
        #expect(reply.status == test.status)
        #expect(try reply.code == test.code)
        #expect(try reply.json["retryable"] == .bool(false))
        #expect(try await tester.send(.get, "\(Self.base)/catalog.plist").body == Self.catalog(3))
    }

    @Test func `catalog errors are reported with line and column, and warnings do not prevent publication`()
        async throws
    {
        let tester = try await RouteTester()
        let wrong = PlistText.document(
            """
            <array>
            <dict><key>productIdentifier</key><string>com.example.voyager.map</string>
            <key>consumable</key><string>x</string></dict>
            <dict><key>productIdentifier</key><string>com.example.voyager.map</string><key>consumable</key><false/></dict>
            </array>
            """)
        let reply = try await tester.operate(.post, Self.path, body: Self.body(Data(wrong.utf8)))
        #expect(reply.status == 422)
        let findings = try #require(try reply.json["findings"]?.list)
        let expected = Catalog(document: try PlistText.read(wrong)).diagnostics
        #expect(!expected.isEmpty)
        #expect(findings.map { $0["rule"]?.text } == expected.map(\.rule))
        let lines: [Int64?] = expected.map { $0.position?.line.map(Int64.init) }
        let columns: [Int64?] = expected.map { $0.position?.column.map(Int64.init) }
        #expect(findings.map { $0["line"]?.number } == lines)
        #expect(findings.map { $0["column"]?.number } == columns)

        let doubtful = PlistText.document(
            """
            <array><dict><key>productIdentifier</key><string>com.example.voyager.map</string><key>consumable</key><false/>
            <key>unheardOf</key><true/></dict></array>
            """)
        let accepted = try await tester.operate(.post, Self.path, body: Self.body(Data(doubtful.utf8)))
        #expect(accepted.status == 201)
        #expect(try accepted.json["findings"]?.list?.first?["severity"]?.text == "warning")
    }

    @Test func `a publication that failed after the catalog was stored is completed by publishing the catalog again`()
        async throws
    {
        let (app, database) = (try SignedApp(), try SQLiteCustomerDatabase.inMemory())
        var options = CustomerOptions()
        options.now = { .sample }
        let served = ServedApp(
            name: RouteTester.app, bundleIdentifier: SignedApp.bundleIdentifier, environment: SignedApp.environment,
            verifier: try app.verifier())
        let records = try await CustomerRecords(database: database, apps: [served], options: options)
        let catalogs = PublishedCatalogs(records: records) { .sample }
        func publish(_ catalog: Data) async throws {
            _ = try await catalogs.publish(["catalog.plist": catalog], app: RouteTester.app)
        }
        func states() async throws -> [String] {
            try await records.notifications(state: nil, app: nil, before: nil, limit: 10).map(\.state)
        }
        try await publish(Self.catalog(2, "atlas"))
        let map = try app.transaction("map", id: "1", account: "A")
        let notification = try app.notification(.oneTimeCharge, id: "n1", transaction: map)
        #expect(try await records.receive(signedPayload: notification, app: RouteTester.app) == .waiting)

        let trigger = "CREATE TRIGGER broken BEFORE INSERT ON fact BEGIN SELECT RAISE(ABORT, 'broken'); END"
        _ = try await database.write([SQLStatement(trigger)])
        let refusal = await #expect(throws: CatalogRefusal.self) { try await publish(Self.catalog(3)) }
        #expect(refusal?.code == .unavailable)
        #expect(try await records.catalogFile("catalog.plist", app: RouteTester.app)?.content == Self.catalog(3))
        #expect(try await states() == ["waiting"])
        _ = try await database.write([SQLStatement("DROP TRIGGER broken")])

        try await publish(Self.catalog(3))

        #expect(try await states() == ["recorded"])
    }

    // MARK: Signatures

    private static let publisher = CatalogPublisher(
        catalog: PlistText.document("<array><string>com.example.voyager.map</string></array>"))

    /// Returns a server that trusts a publisher. The samples are valid at the date of its clock.
    private func tester(trusting publisher: CatalogPublisher? = publisher) async throws -> RouteTester {
        try await RouteTester(trusting: publisher)
    }

    @Test func `an app with trusted roots accepts and serves signed catalogs only`() async throws {
        let tester = try await tester()
        let files = try Self.publisher.files()
        #expect(try await tester.operate(.post, Self.path, body: Self.body(files.catalog)).status == 422)
        let reply = try await tester.operate(.post, Self.path, body: Self.body(files))
        #expect(reply.status == 201)
        #expect(try reply.json["version"]?.number == 12)
        let served: [(CatalogPublication.File, Data)] = [
            (.catalog, files.catalog), (.signature, files.signature), (.keys, files.keys),
            (.keysSignature, files.keysSignature),
        ]
        for (file, content) in served {
            let loaded = try await tester.send(.get, "\(Self.base)/\(file.rawValue)")
            #expect(loaded.body == content, "\(file)")
        }
        // The same again is no error.
        #expect(try await tester.operate(.post, Self.path, body: Self.body(files)).status == 201)
    }

    struct SignedRefusal: CustomTestStringConvertible, Sendable {
        let id: String
        let status: Int
        let change: @Sendable (inout CatalogPublisher) -> Void

        init(_ id: String, _ status: Int, _ change: @escaping @Sendable (inout CatalogPublisher) -> Void) {
            (self.id, self.status, self.change) = (id, status, change)
        }

        var testDescription: String { id }
    }

    static let signedRefusals: [SignedRefusal] = [
        SignedRefusal("an older version", 409) { $0.version = 11 },
        SignedRefusal("older keys", 409) {
            $0.version = 13; $0.keysVersion = 0
        },
        SignedRefusal("a version far ahead", 422) { $0.version = 2_000_000 },
        SignedRefusal("for another app", 422) {
            $0.version = 13; $0.app = "com.example.other"
        },
        SignedRefusal("for another channel", 422) {
            $0.version = 13; $0.channel = "beta"
        },
        SignedRefusal("by a key that is not listed", 422) {
            $0.version = 13; $0.signer = .sample(9)
        },
        SignedRefusal("by another root", 422) {
            $0.version = 13; $0.root = .sample(9)
        },
        SignedRefusal("expired", 422) {
            $0.version = 13
            $0.issued = CatalogPublisher.date - 20
            $0.expires = CatalogPublisher.date - 10
        },
    ]

    @Test(arguments: signedRefusals)
    func `a signed catalog that devices would refuse is refused`(_ test: SignedRefusal) async throws {
        let tester = try await tester()
        let files = try Self.publisher.files()
        #expect(try await tester.operate(.post, Self.path, body: Self.body(files)).status == 201)
        let other = try Self.publisher.changed(test.change).files()
        let reply = try await tester.operate(.post, Self.path, body: Self.body(other))
        #expect(reply.status == test.status)
        let signature = try await tester.send(.get, "\(Self.base)/catalog.plist.minisig")
        #expect(signature.body == files.signature)
        #expect(signature.headers[.contentType] == "text/plain; charset=utf-8")
    }

    @Test func `a catalog signature must be valid even if it is not required`() async throws {
        let tester = try await tester(trusting: nil)
        var files = try Self.publisher.files()
        #expect(try await tester.operate(.post, Self.path, body: Self.body(files)).status == 201)
        files.catalog = Self.catalog(13)
        #expect(try await tester.operate(.post, Self.path, body: Self.body(files)).status == 422)
        let foreign = try Self.publisher.changed { $0.app = "com.example.other" }.files()
        #expect(try await tester.operate(.post, Self.path, body: Self.body(foreign)).status == 422)
    }

    @Test func `a catalog for an unknown app is not published`() async throws {
        let tester = try await RouteTester()
        let reply = try await tester.operate(
            .post, "/v1/admin/catalogs/com.example.other", body: Self.body(Self.catalog(1)))
        #expect(reply.status == 404)
    }

    @Test func `an app that enforces signatures loads the published catalog, and revalidates it later`() async throws {
        let (files, folder) = (try Self.publisher.files(), try TemporaryFolder())
        try await ServedApps.run { _, options in
            options.customers.now = { CatalogPublisher.date }
        } _: { served in
            let published = try await served.operators.send(
                "POST", Self.path, [("Authorization", "Bearer \(ServedApps.operatorToken)")], body: Self.body(files))
            #expect(published.status == 201)
            let url = try #require(URL(string: "http://127.0.0.1:\(served.client.port)\(Self.base)/catalog.plist"))
            let loader = CatalogLoader(
                source: .remote(RemoteCatalog(url: url, cacheDays: 0, trust: Self.publisher.trust())),
                cacheFolder: folder.url, transport: DefaultTransport.patient, numbers: MemoryNumbers(), appBuild: nil
            ) { CatalogPublisher.date }
            for _ in 1...2 {
                let loaded = try await loader.load()
                #expect(loaded.signature == .valid(Self.publisher.statement))
                #expect(loaded.failure == nil)
                #expect(loaded.catalog.products.map(\.identifier) == ["com.example.voyager.map"])
            }
        }
    }
}
