import ArgumentParser
import Foundation
import Vitrine
import VitrineCatalog
internal import VitrineCatalogLoading
import VitrineCommandSupport
internal import VitrineDeviceExchange
import VitrineEntitlements
import VitrineFileSystem
import VitrineSupport

/// Help of arguments that several commands have.
extension ArgumentHelp {
    static let product = ArgumentHelp("The product's identifier.", valueName: "id")
    static let transaction = ArgumentHelp("The transaction's identifier.", valueName: "transaction")
    static let pendingPurchase = ArgumentHelp(
        "The identifier of the purchase, as listed by 'vitrine store transactions', or of its product.",
        valueName: "id")
    static let wallet = ArgumentHelp("The name of the wallet: storageKey in the catalog.", valueName: "key")
    static let token = ArgumentHelp("The file with the token; - is standard input.", valueName: "file")
    static let receipt = ArgumentHelp("The receipt, raw or as base64; - is standard input.", valueName: "file")
    static let home = ArgumentHelp(
        "The home folder. (default: the environment variable VITRINE_HOME, else .vitrine in the current folder)",
        valueName: "dir")
}

struct HomeOptions: ParsableArguments {
    @Option(help: .home) var home: String?

    init() {}

    init(home: String?) { self.home = home }

    func validate() throws {
        guard home != "" else { throw ValidationError("The path of the home must not be empty.") }
    }

    var folder: Home {
        let named = home ?? ProcessInfo.processInfo.environment["VITRINE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
        return Home(url: URL(filePath: named ?? ".vitrine", directoryHint: .isDirectory))
    }
}

extension Home {
    /// Indicates that a path is inside the storage directory, after all symbolic links are resolved. The file itself
    /// need not exist.
    func contains(_ path: String) -> Bool {
        let folder = (path as NSString).deletingLastPathComponent
        guard let home = FileStatus(url)?.identity,
            let resolved = realpath(path, nil) ?? realpath(folder.isEmpty ? "." : folder, nil)
        else { return false }
        defer { free(resolved) }
        var place = URL(filePath: String(cString: resolved), directoryHint: .notDirectory)
        while FileStatus(place)?.identity != home {
            guard place.pathComponents.count > 1 else { return false }
            place.deleteLastPathComponent()
        }
        return true
    }
}

/// Options of the commands that only use the simulated store of a home. They are not made of groups: a debug build checks
/// each group five times for each level above it, which would take most of the time of a command.
struct StoreOptions: ParsableArguments {
    @Option(name: .customLong("home"), help: .home) private var homePath: String?
    @Flag(help: .json) private var json = false

    var home: HomeOptions { HomeOptions(home: homePath) }
    var output: OutputOptions { OutputOptions(json: json) }

    func validate() throws { try home.validate() }
}

/// Options of a command that opens a storage directory; for the same reason not made of groups.
struct SessionOptions: ParsableArguments {
    @Option(name: .customLong("home"), help: .home) private var homePath: String?
    @Flag(help: .json) private var json = false

    @Flag(help: "Print events to standard error, one per line, except those that follow from others.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "The day or time in UTC that the device's clock shows, for this command only, such as a clock that is wrong. "
                + "(default: the clock of the store)",
            valueName: "date"))
    var deviceClock: String?

    var home: HomeOptions { HomeOptions(home: homePath) }
    var output: OutputOptions { OutputOptions(json: json) }

    func validate() throws {
        try home.validate()
        guard let deviceClock, Date(dayOrTime: deviceClock) == nil else { return }
        throw ValidationError(
            "\(deviceClock) is no day or time such as 2027-01-31 or 2027-01-31T12:00:00Z.")
    }
}

/// Language and storefront of the customer, for requests to the store.
struct CustomerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The customer's language as a BCP 47 tag, for this command only. (default: the store's language)",
            valueName: "language"))
    var language: String?

    @Option(
        help: ArgumentHelp(
            "The customer's storefront as an ISO 3166-1 alpha-3 country code, for this command only.",
            valueName: "country"))
    var storefront: String?

    /// `true` if language or storefront is set, so that the customer may differ from this machine's user.
    var isSomebodyElse: Bool { language != nil || storefront != nil }

    func validate() throws {
        guard language != "" else { throw ValidationError("The language must not be empty.") }
    }
}

/// Author and reason of a change, which are recorded in the ledger.
struct AuthorOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The reason of the change, to record in the ledger, as free text.", valueName: "text"))
    var reason: String?

    @Option(help: ArgumentHelp("The author of the change, to record in the ledger, as free text.", valueName: "name"))
    var by = ""
}

/// Account token, which identifies an account of the app in purchases.
enum AccountToken {
    static func parse(_ text: String) throws(ToolFailure) -> UUID {
        guard let token = UUID(uuidString: text) else {
            throw ToolFailure(status: .usage, reason: "\(text) is not a UUID")
        }
        return token
    }
}

/// Stored settings of the exchange with the customer's other devices.
struct ExchangeSettings: Codable, Equatable {
    /// Absolute path of the folder that the devices share; `nil` if the devices use a server.
    var folder: String?
    /// Absolute path of the file with the customer's key; `nil` if there is none, or the devices use a server, which
    /// provides the key.
    var key: String?
    /// URL of the app's own server; `nil` if the devices use a folder.
    var server: String?
    /// Name of the app at the server; `nil` if the devices use a folder.
    var app: String?
    /// Display name of this device.
    var name: String
    /// `OverdraftPolicy` (raw value) for devices that have independently spent more units than the wallet contains.
    var overdrafts: String
}

/// Settings of a storage directory, stored in `vitrine.json` by `vitrine init`.
struct HomeSettings: Codable {
    /// Absolute path of the catalog; `nil` if there is only a remote one.
    var catalog: String?
    /// Catalog on a web server, which takes precedence over the file; `nil` if there is only a file.
    var remote: RemoteSettings?
    /// Absolute path of the folder with packages of hosted content; `nil` if there is none.
    var content: String?
    /// Joined store of another storage directory; `nil` if this one has its own store.
    var store: JoinedStore?
    /// Customer of the storage directory's own store whose App Store account is signed in; `nil` for the first customer.
    var customer: String?
    /// `AccountPolicy` (raw value) for changes of the App Store account; `nil` for the default.
    var accounts: String?
    /// Folder or server for the exchange with the customer's other devices; `nil` before the first exchange.
    var exchange: ExchangeSettings?

    private static let sizeLimit = 64 * 1024

    static func url(in home: Home) -> URL {
        home.url.appending(path: "vitrine.json", directoryHint: .notDirectory)
    }

    /// Reads the settings of a storage directory.
    ///
    /// - Returns: `nil` if the storage directory has not been set up.
    static func read(from home: Home) throws -> HomeSettings? {
        let url = url(in: home)
        let data: Data
        do {
            data = try BoundedFile.read(url, limit: sizeLimit)
        } catch  where error.isMissing {
            return nil
        } catch {
            throw ToolFailure(status: .inputOutput, reason: "\(url.relativePath) cannot be read: \(error.reason)")
        }
        do {
            return try JSONDecoder().decodeForeign(HomeSettings.self, from: data)
        } catch {
            throw ToolFailure(status: .unusableData, reason: "\(url.relativePath) is not a vitrine settings file")
        }
    }

    /// Returns the source of the catalog.
    ///
    /// - Throws: ``ToolFailure`` if the settings contain no catalog, or an invalid one.
    func source() throws(ToolFailure) -> CatalogSource {
        let local = catalog.map { URL(filePath: $0, directoryHint: .notDirectory) }
        if let remote { return .remote(try remote.catalog(), local: local) }
        guard let local else {
            throw ToolFailure(status: .unusableData, reason: "the home has no catalog; set one with 'vitrine init'")
        }
        return .file(local)
    }

    /// Folder with content that is not hosted: the folder of the catalog.
    var bundledContent: URL? {
        catalog.map { URL(filePath: $0, directoryHint: .notDirectory).deletingLastPathComponent() }
    }

    func write(to home: Home) throws {
        try Self.createFolder(of: home)
        do {
            try DurableFile.mark(home.ledgerMark)
            try DurableFile.write(Data(Console.encode(self).utf8), to: Self.url(in: home))
        } catch {
            throw Self.failure(of: home, error)
        }
    }

    /// Creates the folder of the storage directory if it does not exist.
    static func createFolder(of home: Home) throws(ToolFailure) {
        do {
            try home.create()
        } catch {
            throw failure(of: home, error)
        }
    }

    private static func failure(of home: Home, _ error: any Error) -> ToolFailure {
        ToolFailure(
            status: .inputOutput,
            reason: "the home \(home.url.relativePath) cannot be written: \(BoundedFile.reason(for: error))")
    }
}
