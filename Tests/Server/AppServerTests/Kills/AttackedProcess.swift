import Crypto
import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// `vitrine-server` in a process of its own with a database in a folder, which requests of an attacker must not end.
struct AttackedProcess: Sendable {
    let folder: TemporaryFolder
    private let store: SimulatedStore
    /// The app's own login; `nil` if the app has none.
    private let login: AppLogin?
    private let configuration: URL

    /// Writes the configuration.
    ///
    /// - Parameters:
    ///   - limits: Limits that differ from the defaults, by their keys in the configuration.
    ///   - hasLogin: `true` if the app has a login of its own.
    init(limits: [String: Int] = [:], hasLogin: Bool = false) async throws {
        folder = try TemporaryFolder()
        login = hasLogin ? AppLogin() : nil
        store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.sample("Voyager.storekit")), bundleIdentifier: ServedApps.app,
            environment: .sandbox, seed: 7)
        try await store.setOriginalPurchase(OriginalPurchase(version: "900", date: Date(), platform: .iOS))
        try folder.write(store.rootCertificate, to: "root.pem")
        if let login { try folder.write(login.publicKey.pemRepresentation, to: "login.pem") }
        let accountKeys =
            hasLogin ? "<key>accountKeys</key><dict><key>\(AppLogin.name)</key><string>login.pem</string></dict>" : ""
        configuration = try folder.write(
            PlistText.document(
                """
                <dict><key>data</key><string>data</string>
                <key>limits</key><dict>\(limits.map { "<key>\($0)</key><integer>\($1)</integer>" }.joined())</dict>
                <key>apps</key><array><dict>
                <key>bundleIdentifier</key><string>\(ServedApps.app)</string>
                <key>environment</key><string>Sandbox</string>
                <key>roots</key><array><string>root.pem</string></array>
                <key>catalog</key><string>\(Repository.sample("Voyager.plist").path(percentEncoded: false))</string>
                \(accountKeys)</dict></array></dict>
                """), to: "server.plist")
    }

    /// Returns a token of the app's own login for an account; `nil` if the app has none.
    func token(of account: String) throws -> String? {
        try login?.token(of: account, for: ServedApps.app, at: Date())
    }

    /// Serves while a function runs, and checks that the process still runs afterwards, without an error in its log, and
    /// ends in order.
    func serve<Value>(_ body: (ServedApps, ServerProcess) async throws -> Value) async throws -> Value {
        let process = try ServerProcess(configuration, in: folder.url)
        let server = ServedApps(
            store: store, clock: TestClock(Date()), sleep: ManualSleep(),
            client: HTTPLine(port: process.url.port ?? 0), operators: HTTPLine(port: 0), shutDown: {})
        let value = try await body(server, process)
        #expect(process.isRunning)
        #expect(process.end() == 0, "\(process.said)")
        #expect(!process.said.contains(" error "), "\(process.said)")
        return value
    }
}
