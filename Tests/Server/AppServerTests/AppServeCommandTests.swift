import Foundation
import Testing
import VitrineCatalogLoading
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Command `vitrine-server serve`, run as a process.
@Suite(.blocksThreads, .hangLimit) struct AppServeCommandTests {
    /// Creates a folder with a home, whose simulated store sells the products of the sample app.
    private static func home() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder[".vitrine"], withIntermediateDirectories: true)
        try SimulatedStore.create(
            in: folder[".vitrine/Store"], configuration: Data(contentsOf: Repository.sample("Voyager.storekit")),
            bundleIdentifier: "com.example.voyager", seed: 7)
        try folder.write(Data(contentsOf: Repository.sample("Voyager.plist")), to: "Catalogs/Voyager.plist")
        return folder
    }

    /// Running process of the command.
    private final class Serving {
        let process = Process()
        private let (output, errors) = (Pipe(), Pipe())

        init(_ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:]) throws {
            process.executableURL = Bundle.main.bundleURL.appending(path: "vitrine-server")
            process.arguments = ["serve"] + arguments
            process.currentDirectoryURL = folder.url
            process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("VITRINE_") }
                .merging(environment) { $1 }
            (process.standardOutput, process.standardError) = (output, errors)
            try process.run()
        }

        /// Waits until the server prints its address as JSON, and returns the port.
        func port() throws -> Int {
            struct Ready: Decodable {
                let url: URL
            }
            let line = output.fileHandleForReading.availableData
            return try #require(JSONDecoder().decode(Ready.self, from: line).url.port)
        }

        /// Waits until the process has ended, and returns its status and output.
        func end() -> (status: Int32, output: String, errors: String) {
            let (written, said) = (
                output.fileHandleForReading.readDataToEndOfFile(), errors.fileHandleForReading.readDataToEndOfFile()
            )
            process.waitUntilExit()
            return (
                process.terminationStatus, String(decoding: written, as: UTF8.self),
                String(decoding: said, as: UTF8.self)
            )
        }
    }

    @Test func `a server without a configuration serves the app of the simulated store until SIGTERM`() async throws {
        let folder = try Self.home()
        let server = try Serving(["--port", "0", "--json"], in: folder)
        defer { server.process.terminate() }
        let client = HTTPLine(port: try server.port())
        let catalog = try await client.send("GET", "/v1/apps/com.example.voyager/catalog/catalog.plist")
        #expect(catalog.status == 200)
        #expect(catalog.body == (try Data(contentsOf: folder["Catalogs/Voyager.plist"])))
        #expect(try await client.send("GET", "/health/ready").status == 200)
        server.process.terminate()
        let end = server.end()
        #expect(end.status == 0)
        #expect(end.errors.contains("the app is com.example.voyager, of the simulated store in .vitrine/Store"))
        #expect(end.errors.contains("the catalog is Catalogs/Voyager.plist"))
        #expect(end.errors.contains("customers are kept in .vitrine/Server/customers.sqlite\n"))
        #expect(folder.has(".vitrine/Server/customers.sqlite"))
    }

    @Test func `a data folder can be used by one server at a time`() throws {
        let folder = try Self.home()
        let first = try Serving(["--port", "0", "--json"], in: folder)
        defer { first.process.terminate() }
        _ = try first.port()
        let second = try Serving(["--port", "0", "--json"], in: folder)
        let end = second.end()
        #expect(end.status == 74)
        #expect(end.errors.contains("another server uses this folder: stop it, or name another folder"))
        let third = try Serving(["--port", "0", "--json", "--data", "Other"], in: folder)
        defer { third.process.terminate() }
        #expect(try third.port() > 0)
    }

    @Test func `a port that is in use is reported with its number`() throws {
        let folder = try Self.home()
        let first = try Serving(["--port", "0", "--json"], in: folder)
        defer { first.process.terminate() }
        let port = try first.port()
        let end = try Serving(["--port", "\(port)", "--data", "Other"], in: folder).end()
        #expect(end.status == 74)
        #expect(end.errors.contains("port \(port): the port is in use already"))
    }

    @Test func `a port of operators that is in use is reported with its number`() throws {
        let folder = try Self.home()
        let first = try Serving(["--port", "0", "--json"], in: folder)
        defer { first.process.terminate() }
        let port = try first.port()
        let operators = "<key>operators</key><dict><key>port</key><integer>\(port)</integer></dict>"
        try folder.write(PlistText.document("<dict>\(Self.app)\(operators)</dict>"), to: "server.plist")
        let end = try Serving(
            ["--config", "server.plist", "--port", "0", "--data", "Other"], in: folder,
            environment: ["VITRINE_OPERATOR_TOKENS": Self.operatorToken]
        ).end()
        #expect(end.status == 74)
        #expect(
            end.errors.contains(
                "the server cannot listen at 127.0.0.1, port \(port): the port is in use already; the key operators"),
            "\(end.errors)")
    }

    @Test(arguments: [["--check"], []])
    func `one port for devices and operators is an error of the configuration`(option: [String]) throws {
        let folder = try Self.home()
        let end = try Serving(
            ["--port", "8081"] + option, in: folder, environment: ["VITRINE_OPERATOR_TOKENS": Self.operatorToken]
        ).end()
        #expect(end.status == 65)
        #expect(
            end.errors.contains("the addresses for devices and for operators have the same port, 8081"),
            "\(end.errors)")
        #expect(!folder.has(".vitrine/Server"))
    }

    private static let operatorToken = "anna:admin:" + String(repeating: "0a", count: 32)

    struct Check: Sendable, CustomTestStringConvertible {
        let id: String
        var arguments = ["--config", "server.plist"]
        var environment: [String: String] = [:]
        var configuration: String?
        let status: Int32
        let text: String

        var testDescription: String { id }
    }

    private static let app = """
        <key>apps</key><array><dict><key>bundleIdentifier</key><string>com.example.voyager</string>
        <key>environment</key><string>Sandbox</string>
        <key>catalog</key><string>Catalogs/Voyager.plist</string></dict></array>
        """

    @Test(arguments: [
        Check(id: "a configuration that is valid", configuration: app, status: 0, text: "without a serverKey"),
        Check(
            id: "one with an unknown key", configuration: app + "<key>port</key><integer>1</integer>", status: 65,
            text: "server.plist:6:"),
        Check(id: "one that does not exist", status: 66, text: "server.plist: there is no such file"),
        Check(id: "the simulated store", arguments: [], status: 0, text: "the simulated store in .vitrine/Store"),
        Check(
            id: "no store", arguments: [], environment: ["VITRINE_HOME": "other"], status: 66,
            text: "there is no simulated store in other/Store"),
        Check(
            id: "no store in the home that is named", arguments: ["--home", "other"],
            environment: ["VITRINE_HOME": ".vitrine"], status: 66, text: "there is no simulated store in other/Store"),
        Check(
            id: "the simulated store of the home that is named", arguments: ["--home", ".vitrine"],
            environment: ["VITRINE_HOME": "other"], status: 0, text: "the simulated store in .vitrine/Store"),
        Check(
            id: "a home beside a configuration", arguments: ["--home", ".vitrine", "--config", "server.plist"],
            status: 64,
            text: "Use either --config or --home, not both."),
        Check(
            id: "an environment variable that is wrong", arguments: [],
            environment: ["VITRINE_OPERATOR_TOKENS": "a"], status: 65, text: "each item must be NAME:ROLE:DIGEST"),
    ])
    func `the option --check reports missing or invalid settings and exits`(_ check: Check) throws {
        let folder = try Self.home()
        if let entries = check.configuration {
            try folder.write(PlistText.document("<dict>\(entries)</dict>"), to: "server.plist")
        }
        let end = try Serving(check.arguments + ["--check"], in: folder, environment: check.environment).end()
        #expect(end.status == check.status)
        #expect(end.errors.contains(check.text), "\(end.errors)")
        #expect(!folder.has(".vitrine/Server"))
    }

    @Test(arguments: [
        ("an unsigned catalog", "", "the catalogs of this app must be signed"),
        ("keys without a signature of the catalog", "keys.plist", "one is missing"),
    ])
    func `the option --check reports a catalog without the signature that it needs, as the start does`(
        id: String, file: String, reason: String
    ) throws {
        let folder = try Self.home()
        if !file.isEmpty { try folder.write(PlistText.document("<dict/>"), to: "Catalogs/\(file)") }
        let keys = "<key>catalogKeys</key><array><string>\(SigningKey.sample(1).publicKey.line)</string></array>"
        let entries = Self.app.replacing("<key>catalog</key>", with: keys + "<key>catalog</key>")
        try folder.write(PlistText.document("<dict>\(entries)</dict>"), to: "server.plist")
        for option in [["--check"], ["--port", "0"]] {
            let end = try Serving(["--config", "server.plist"] + option, in: folder).end()
            #expect(end.status == 65, "\(option)")
            #expect(end.errors.contains("Catalogs/Voyager.plist: "), "\(end.errors)")
            #expect(end.errors.contains(reason), "\(end.errors)")
        }
    }

    @Test func `the option --check reports each error of the configuration on a line of its own`() throws {
        let folder = try Self.home()
        let entries = "<key>port</key><integer>1</integer><key>hosts</key><string>a</string>"
        try folder.write(PlistText.document("<dict>\(Self.app)\(entries)</dict>"), to: "server.plist")
        let end = try Serving(["--config", "server.plist", "--check"], in: folder).end()

        #expect(end.status == 65)
        let errors = end.errors.split(separator: "\n").filter { $0.hasPrefix("vitrine: error: server.plist:") }
        #expect(errors.count == 2, "\(end.errors)")
    }

    @Test(arguments: [
        ("a file that is not a database", "Data", "Data/customers.sqlite: "),
        ("a file instead of a folder", "Catalogs/Voyager.plist/Data", "the folder cannot be written"),
    ])
    func `the option --check opens the database, and reports one that cannot be used`(
        id: String, data: String, reason: String
    ) throws {
        let folder = try Self.home()
        try folder.write(String(repeating: "not a database\n", count: 500), to: "Data/customers.sqlite")
        let end = try Serving(["--data", data, "--check"], in: folder).end()

        #expect(end.status == 65)
        #expect(end.errors.contains("vitrine: error: "))
        #expect(end.errors.contains(reason), "\(end.errors)")
    }

    @Test func `the option --check succeeds while a server uses the database`() throws {
        let folder = try Self.home()
        let server = try Serving(["--port", "0", "--json"], in: folder)
        defer { server.process.terminate() }
        _ = try server.port()

        let end = try Serving(["--check"], in: folder).end()
        #expect(end.status == 0, "\(end.errors)")
        #expect(end.errors.contains("customers are kept in .vitrine/Server/customers.sqlite"))
    }

    @Test func `a simulated store with the production environment is refused`() async throws {
        let folder = try Self.home()
        let store = try SimulatedStore(folder: folder[".vitrine/Store"])
        try await store.setEnvironment(.production, appIdentifier: 1)
        let end = try Serving(["--port", "0"], in: folder).end()
        #expect(end.status == 65)
        #expect(end.errors.contains("where a server trusts only Apple"))
        #expect(try Serving(["--port", "70000"], in: folder).end().status == 64)
    }
}
