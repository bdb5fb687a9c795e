import Foundation
import Testing
import VitrineAppServerRecords
import VitrineCatalogLoading
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

@testable import VitrineAppServer

/// Configurations in property lists, and errors in them.
struct ConfigurationTests {
    private static let digest = String(repeating: "0a", count: 32)

    /// Creates a folder with a configuration and the files to which it refers.
    private static func folder(_ entries: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.sample("Voyager.storekit")),
            bundleIdentifier: "com.example.voyager", seed: 7)
        try folder.write(store.rootCertificate, to: "root.pem")
        try folder.write(Data(contentsOf: Repository.sample("Voyager.plist")), to: "Voyager.plist")
        try folder.write(
            """
            -----BEGIN PUBLIC KEY-----
            MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
            -----END PUBLIC KEY-----
            """, to: "login.pem")
        try folder.write("no key", to: "wrong.pem")
        try folder.write("", to: "Content/empty")
        try folder.write(PlistText.document("<dict>\n\(entries)\n</dict>"), to: "server.plist")
        return folder
    }

    private static func read(
        _ folder: TemporaryFolder, _ environment: [String: String] = [:]
    ) throws(AppServerConfigurationError) -> AppServerConfiguration {
        try AppServerConfiguration(file: folder["server.plist"], environment: environment)
    }

    private static func app(_ further: String = "", environment: String = "Sandbox") -> String {
        """
        <key>apps</key><array><dict>
        <key>bundleIdentifier</key><string>com.example.voyager</string>
        <key>environment</key><string>\(environment)</string>
        \(further)
        </dict></array>
        """
    }

    @Test func `a complete server configuration is read, and its paths are relative to its folder`() async throws {
        let folder = try Self.folder(
            Self.app(
                """
                <key>name</key><string>voyager-sandbox</string>
                <key>appleID</key><integer>1234567890</integer>
                <key>roots</key><array><string>root.pem</string></array>
                <key>catalog</key><string>Voyager.plist</string>
                <key>content</key><string>Content</string>
                <key>accountKeys</key><dict><key>login-1</key><string>login.pem</string></dict>
                """) + """
                    <key>listen</key><dict><key>host</key><string>0.0.0.0</string>
                    <key>port</key><integer>80</integer></dict>
                    <key>operators</key><dict><key>port</key><integer>81</integer></dict>
                    <key>behindProxy</key><true/>
                    <key>drain</key><integer>5</integer>
                    <key>data</key><string>Data</string>
                    <key>operatorTokens</key><array><dict><key>name</key><string>Anna</string>
                    <key>role</key><string>support</string>
                    <key>digest</key><string>\(Self.digest)</string></dict></array>
                    """)
        let configuration = try Self.read(folder)
        #expect(configuration.listen == AppServerConfiguration.Address(host: "0.0.0.0", port: 80))
        #expect(configuration.operatorsListen == AppServerConfiguration.Address(host: "127.0.0.1", port: 81))
        #expect(configuration.proxies == 1)
        #expect(configuration.drain == 5)
        guard case .folder(let data) = configuration.storage else {
            Issue.record("\(configuration.storage)")
            return
        }
        #expect(data.absoluteURL.path() == folder["Data/"].path())
        #expect(configuration.operators.map(\.name) == ["Anna"])
        #expect(configuration.operators.map(\.role) == [.support])
        let app = try #require(configuration.apps.first)
        #expect(configuration.apps.count == 1)
        #expect(app.name == "voyager-sandbox")
        #expect(app.environment == .sandbox)
        #expect(app.appleID == 1_234_567_890)
        #expect(app.roots.certificates.count == 1)
        #expect(app.catalog?.absoluteURL.path() == folder["Voyager.plist"].path())
        #expect(app.content?.absoluteURL.path() == folder["Content/"].path())
        guard case .edDSA(let key) = app.accountKeys["login-1"] else {
            Issue.record("there is no key of the login")
            return
        }
        #expect(key.count == 32)
        #expect(await configuration.catalogErrors().isEmpty)
    }

    @Test func `limits, proxies and the checks of signatures are read, and the others have defaults`() throws {
        let limits = [
            "enrollmentsPerHour": 1, "requestsPerMinute": 2, "documentMegabytesPerDay": 4,
            "documentFactsPerCustomer": 3, "connectionsPerAddress": 5, "streamsPerAddress": 6, "streamsPerDevice": 7,
            "readsPerSecond": 8, "writesPerSecond": 9,
        ].map { "<key>\($0)</key><integer>\($1)</integer>" }.joined()
        let checks = "<key>checksRevocation</key><true/><key>currentCertificates</key><true/>"
        let configuration = try Self.read(
            try Self.folder(
                Self.app(checks) + "<key>limits</key><dict>\(limits)</dict><key>behindProxy</key><integer>2</integer>"))
        var expected = ServerLimits()
        (expected.enrollments.count, expected.requests.count, expected.documents.count) = (1, 2, 4 << 20)
        (expected.connections, expected.streams, expected.deviceStreams) = (5, 6, 7)
        (expected.reads.count, expected.writes.count, expected.documentFacts) = (80, 9, 3)
        #expect(configuration.limits == expected)
        #expect(configuration.proxies == 2)
        #expect(configuration.apps.first?.checksRevocation == true)
        #expect(configuration.apps.first?.validity == .current)

        let standard = try Self.read(try Self.folder(Self.app()))
        #expect(standard.limits == ServerLimits())
        #expect(standard.proxies == 0)
        #expect(standard.apps.first?.checksRevocation == false)
        #expect(standard.apps.first?.validity == .whenSigned)
    }

    @Test func `an app without a name is named by its bundle identifier, and trusts Apple's roots`() throws {
        let configuration = try Self.read(try Self.folder(Self.app(environment: "Production")))
        let app = try #require(configuration.apps.first)
        #expect(app.name == "com.example.voyager")
        #expect(app.roots.certificates.count == TrustedRoots.apple.certificates.count)
        #expect(configuration.listen == AppServerConfiguration.Address(host: "127.0.0.1", port: 8_080))
        #expect(configuration.operators.isEmpty)
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let id: String
        let entries: String
        /// Line of the error in the file, followed by the expected message.
        let line: Int
        let text: String

        var testDescription: String { id }
    }

    static let faults = [
        Fault(
            id: "no apps", entries: "<key>drain</key><integer>5</integer>", line: 4, text: "the key apps is missing"),
        Fault(id: "an empty list of apps", entries: "<key>apps</key><array/>", line: 5, text: "at least one app"),
        Fault(
            id: "an unknown key", entries: "<key>ports</key><integer>1</integer>" + app(), line: 5, text: "unknown key"
        ),
        Fault(
            id: "an unknown key of an app", entries: app("<key>rot</key><integer>1</integer>"), line: 8,
            text: "apps[0].rot: unknown key"),
        Fault(
            id: "a port that is too high",
            entries: "<key>listen</key><dict><key>port</key><integer>65536</integer></dict>" + app(), line: 5,
            text: "listen.port: must be an integer from 0 to 65535"),
        Fault(
            id: "a host that is empty",
            entries: "<key>listen</key><dict><key>host</key><string></string></dict>" + app(), line: 5,
            text: "not empty"),
        Fault(
            id: "a limit of zero",
            entries: "<key>limits</key><dict><key>streamsPerDevice</key><integer>0</integer></dict>" + app(), line: 5,
            text: "limits.streamsPerDevice: must be an integer from 1"),
        Fault(
            id: "less room for documents than one document needs",
            entries: "<key>limits</key><dict><key>documentMegabytesPerDay</key><integer>3</integer></dict>" + app(),
            line: 5, text: "limits.documentMegabytesPerDay: must be an integer from 4"),
        Fault(
            id: "an unknown limit",
            entries: "<key>limits</key><dict><key>streams</key><integer>1</integer></dict>" + app(), line: 5,
            text: "limits.streams: unknown key; the keys here are "),
        Fault(
            id: "eleven proxies", entries: "<key>behindProxy</key><integer>11</integer>" + app(), line: 5,
            text: "behindProxy: must be a Boolean, or the number of proxies in a row from 1 to 10"),
        Fault(
            id: "an unknown environment", entries: app(environment: "Test"), line: 7,
            text: #""Test" is unknown; it must be one of Production, Sandbox, Xcode, LocalTesting"#),
        Fault(
            id: "an environment in lower case", entries: app(environment: "production"), line: 7,
            text: #""production" is unknown; did you mean "Production"?"#),
        Fault(
            id: "a misspelled key", entries: app("<key>apleID</key><integer>1</integer>"), line: 8,
            text: #"apps[0].apleID: unknown key; did you mean "appleID"?"#),
        Fault(
            id: "a store on this computer without a root", entries: app(environment: "LocalTesting"), line: 5,
            text: "needs the key roots"),
        Fault(
            id: "the root of a simulated store in production",
            entries: app("<key>roots</key><array><string>root.pem</string></array>", environment: "Production"),
            line: 8,
            text: "only Apple's roots are trusted"),
        Fault(
            id: "a root that is missing", entries: app("<key>roots</key><array><string>other.pem</string></array>"),
            line: 8, text: "other.pem cannot be read"),
        Fault(
            id: "a root that is none", entries: app("<key>roots</key><array><string>wrong.pem</string></array>"),
            line: 8, text: "wrong.pem: the text contains no certificate"),
        Fault(
            id: "a catalog that is missing", entries: app("<key>catalog</key><string>Other.plist</string>"), line: 8,
            text: "Other.plist cannot be read"),
        Fault(
            id: "a folder that is missing", entries: app("<key>content</key><string>Other</string>"), line: 8,
            text: "there is no folder"),
        Fault(
            id: "a key of the login that is none",
            entries: app("<key>accountKeys</key><dict><key>a</key><string>wrong.pem</string></dict>"), line: 8,
            text: "is not a public key in PEM"),
        Fault(
            id: "a key for the store's server without its identifier",
            entries: app(
                "<key>serverKey</key><dict><key>issuer</key><string>a</string><key>file</key>"
                    + "<string>wrong.pem</string></dict>"
            ),
            line: 8, text: "the key keyID is missing"),
        Fault(
            id: "a name with a slash", entries: app("<key>name</key><string>a/b</string>"), line: 8,
            text: "letters, digits"),
        Fault(
            id: "a name of periods", entries: app("<key>name</key><string>..</string>"), line: 8,
            text: "letters, digits"),
        Fault(
            id: "two apps of one name",
            entries: """
                <key>apps</key><array>
                <dict><key>bundleIdentifier</key><string>a</string><key>environment</key><string>Sandbox</string></dict>
                <dict><key>bundleIdentifier</key><string>a</string><key>environment</key><string>Xcode</string>
                <key>roots</key><array><string>root.pem</string></array></dict>
                </array>
                """, line: 5, text: "2 apps are called a"),
        Fault(
            id: "an operator with an unknown role",
            entries: app() + "<key>operatorTokens</key><array><dict><key>name</key><string>A</string><key>role</key>"
                + "<string>root</string><key>digest</key><string>\(digest)</string></dict></array>", line: 9,
            text: "the role \"root\" is not one of read"),
        Fault(
            id: "an operator with a token in place of its digest",
            entries: app() + "<key>operatorTokens</key><array><dict><key>name</key><string>A</string><key>role</key>"
                + "<string>read</string><key>digest</key><string>token</string></dict></array>", line: 9,
            text: "64 hexadecimal digits"),
        Fault(
            id: "another type", entries: "<key>apps</key><string>a</string>", line: 5, text: "apps: must be an array"),
        Fault(
            id: "a property list that is damaged", entries: "<key>apps</key><arr", line: 6, text: "the name of a tag"),
    ]

    @Test(arguments: faults) func `an invalid server configuration is refused with the position and the reason`(
        _ fault: Fault
    )
        throws
    {
        let folder = try Self.folder(fault.entries)
        let error = try #require(throws: AppServerConfigurationError.self) { try Self.read(folder) }
        #expect(error.code == .invalid)
        let file = folder["server.plist"].relativePath
        #expect(
            error.context.contains { $0.hasPrefix("\(file):\(fault.line):") && $0.contains(fault.text) },
            "\(error.reason)")
    }

    @Test func `all errors of a server configuration are reported at once`() throws {
        let folder = try Self.folder(Self.app("<key>a</key><true/><key>b</key><true/>") + "<key>c</key><true/>")
        let error = try #require(throws: AppServerConfigurationError.self) { try Self.read(folder) }
        #expect(error.context.count == 3)
    }

    @Test func `errors of an app's keys are reported although its environment is unknown`() throws {
        let further = "<key>catalog</key><string>Other.plist</string><key>appleID</key><string>1</string>"
        let folder = try Self.folder(Self.app(further, environment: "Test"))
        let error = try #require(throws: AppServerConfigurationError.self) { try Self.read(folder) }
        #expect(error.context.count == 3)
        for name in ["environment", "catalog", "appleID"] {
            #expect(error.context.contains { $0.contains(": apps[0].\(name): ") }, "\(error.context)")
        }
    }

    @Test func `a missing configuration file is distinguished from an invalid one`() throws {
        let folder = try TemporaryFolder()
        let error = try #require(throws: AppServerConfigurationError.self) { try Self.read(folder) }
        #expect(error.code == .missingFile)
    }

    @Test func `environment variables override keys of the configuration file`() throws {
        let folder = try Self.folder(Self.app() + "<key>data</key><string>Data</string>")
        let configuration = try Self.read(
            folder, ["VITRINE_DATA": "/srv/data", "VITRINE_OPERATOR_TOKENS": "anna:admin:\(Self.digest)"])
        #expect(configuration.storage == .folder(URL(filePath: "/srv/data", directoryHint: .isDirectory)))
        #expect(configuration.operators.map(\.role) == [.admin])
        let wrong = ["VITRINE_OPERATOR_TOKENS": "anna:admin"]
        let error = try #require(throws: AppServerConfigurationError.self) { try Self.read(folder, wrong) }
        #expect(error.reason == "VITRINE_OPERATOR_TOKENS: each item must be NAME:ROLE:DIGEST")
    }

    #if !PostgreSQL
        @Test func `a PostgreSQL setting is refused by a build without PostgreSQL`() throws {
            let folder = try Self.folder(Self.app() + "<key>postgresql</key><string>host=/tmp</string>")
            let error = try #require(throws: AppServerConfigurationError.self) { try Self.read(folder) }
            #expect(error.reason.contains("postgresql: this build has no PostgreSQL"))
            // A connection string may contain a password.
            #expect(!error.reason.contains("host=/tmp"))
        }
    #endif

    @Test func `errors of a configured catalog are reported when the configuration is read`() async throws {
        let folder = try Self.folder(Self.app("<key>catalog</key><string>Voyager.plist</string>"))
        try folder.write(
            PlistText.document("<array><dict><key>productIdentifier</key><string>a</string></dict></array>"),
            to: "Voyager.plist")
        let faults = try await Self.read(folder).catalogErrors()
        #expect(!faults.isEmpty)
        #expect(faults.allSatisfy { $0.contains("Voyager.plist:") })
    }

    struct Addresses: Sendable, CustomTestStringConvertible {
        let devices, operators: AppServerConfiguration.Address
        let areUsable: Bool

        init(_ devices: (String, Int), _ operators: (String, Int), areUsable: Bool) {
            self.devices = AppServerConfiguration.Address(host: devices.0, port: devices.1)
            self.operators = AppServerConfiguration.Address(host: operators.0, port: operators.1)
            self.areUsable = areUsable
        }

        var testDescription: String { "\(devices.host) \(devices.port), \(operators.host) \(operators.port)" }
    }

    @Test(arguments: [
        Addresses(("127.0.0.1", 80), ("127.0.0.1", 81), areUsable: true),
        Addresses(("127.0.0.1", 80), ("127.0.0.1", 80), areUsable: false),
        Addresses(("127.0.0.1", 0), ("127.0.0.1", 0), areUsable: true),
        Addresses(("localhost", 80), ("LocalHost", 80), areUsable: false),
        Addresses(("0.0.0.0", 80), ("127.0.0.1", 80), areUsable: false),
        Addresses(("127.0.0.1", 80), ("::", 80), areUsable: false),
        Addresses(("0.0.0.0", 80), ("::1", 80), areUsable: true),
        Addresses(("10.0.0.1", 80), ("10.0.0.2", 80), areUsable: true),
    ])
    func `devices and operators have two addresses, and one is enough without operators`(_ addresses: Addresses) {
        var configuration = AppServerConfiguration()
        (configuration.listen, configuration.operatorsListen) = (addresses.devices, addresses.operators)
        #expect(configuration.addressError == nil)
        configuration.operators = [OperatorAccount(name: "anna", role: .read, tokenDigest: Data(count: 32))]
        #expect((configuration.addressError == nil) == addresses.areUsable)
    }

    struct Signing: Sendable, CustomTestStringConvertible {
        let id: String
        var isRequired = true
        var change: @Sendable (inout CatalogPublisher) -> Void = { _ in }
        /// Files of the signature that are in the folder of the catalog.
        var files = ["keys.plist", "keys.plist.minisig", "Voyager.plist.minisig"]
        /// Part of the error; `nil` if the catalog can be published, or could be until its signature expired.
        var error: String?

        var testDescription: String { id }
    }

    @Test(arguments: [
        Signing(id: "a signed catalog"),
        Signing(id: "a signed catalog that needs no signature", isRequired: false),
        Signing(id: "an unsigned catalog", files: [], error: "the catalogs of this app must be signed"),
        Signing(id: "an unsigned catalog that needs no signature", isRequired: false, files: []),
        Signing(id: "only keys", files: ["keys.plist"], error: "one is missing"),
        Signing(id: "only keys, needlessly", isRequired: false, files: ["keys.plist"], error: "one is missing"),
        Signing(id: "another root", change: { $0.root = .sample(9) }, error: "not a root key of this app"),
        Signing(id: "a key that is not listed", change: { $0.signer = .sample(9) }, error: "is not in keys.plist"),
        Signing(
            id: "a key that is not listed, needlessly", isRequired: false, change: { $0.signer = .sample(9) },
            error: "is not in keys.plist"),
        Signing(
            id: "a revoked key",
            change: {
                $0.keys = CatalogKeys(
                    keys: $0.keys.keys, revoked: [$0.signer.publicKey.identifierText], epoch: $0.keys.epoch)
            }, error: "is revoked"),
        Signing(id: "another app", change: { $0.app = "com.example.other" }, error: "com.example.other"),
        Signing(
            id: "another version than in the catalog",
            change: {
                $0.catalog = Data(
                    PlistText.document(
                        """
                        <dict><key>catalogVersion</key><integer>11</integer>
                        <key>products</key><array><string>com.example.voyager.map</string></array></dict>
                        """
                    ).utf8)
            }, error: "the catalog has version 11, but is signed as version 12"),
        Signing(id: "an expired signature", change: { $0.expires = $0.issued + 1 }),
        Signing(id: "expired keys", change: { $0.keysExpires = $0.keysIssued + 1 }),
        Signing(
            id: "an expired signature of another root",
            change: {
                $0.expires = $0.issued + 1
                $0.root = .sample(9)
            }, error: "not a root key of this app"),
    ])
    func `a configured catalog whose signature prevents its publication is an error, and an expired one is not`(
        _ signing: Signing
    ) async throws {
        let publisher = CatalogPublisher()
        let keys = "<key>catalogKeys</key><array><string>\(publisher.root.publicKey.line)</string></array>"
        let folder = try Self.folder(
            Self.app("<key>catalog</key><string>Voyager.plist</string>\(signing.isRequired ? keys : "")"))
        let files = try publisher.changed(signing.change).files()
        try folder.write(files.catalog, to: "Voyager.plist")
        let contents = [
            "Voyager.plist.minisig": files.signature, "keys.plist": files.keys,
            "keys.plist.minisig": files.keysSignature,
        ]
        for (name, content) in contents where signing.files.contains(name) { try folder.write(content, to: name) }

        let errors = try await Self.read(folder).catalogErrors(at: CatalogPublisher.date + 60)
        if let error = signing.error {
            #expect(errors.count == 1)
            #expect(errors.allSatisfy { $0.contains("Voyager.plist: ") && $0.contains(error) }, "\(errors)")
        } else {
            #expect(errors.isEmpty)
        }
    }
}
