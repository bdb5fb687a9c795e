import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
internal import VitrineDeviceExchange
import VitrineEntitlements
import VitrineNetworking
import VitrineStoreSimulator

/// Options for the exchange with the customer's other devices. A missing option has its value from the last exchange.
struct ExchangeCommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder that all devices of the customer share, outside the home. (default: that of the last exchange)",
            valueName: "dir"), completion: .directory)
    var folder: String?

    @Option(
        name: .customLong("key"),
        help: ArgumentHelp(
            "The file with the customer's key: 32 to 4096 random bytes, the same on all devices, outside the home. "
                + "(default: that of the last exchange, or none)", valueName: "file"), completion: .file())
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "The address of the app's own server, in place of a folder and a key: what precedes /v1. (default: that of "
                + "the last exchange)", valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "The name of the app at the server. (default: that of the last exchange, or the bundle identifier)",
            valueName: "name"))
    var app: String?

    @Option(help: ArgumentHelp("The name of this device, for people. (default: that of the last exchange)"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The treatment of units that two devices have spent although the wallet contained them once: forgiven or "
                + "owed, the same on all devices. (default: that of the last exchange, or forgiven)",
            valueName: "policy"))
    var overdrafts: RawArgument<OverdraftPolicy>?

    func validate() throws {
        guard folder != "" else { throw ValidationError("The path of the folder must not be empty.") }
        guard server == nil || folder == nil && keyFile == nil else {
            throw ValidationError("--server cannot be combined with --folder or --key: the server has the key.")
        }
        guard app != "" else { throw ValidationError("The name of the app must not be empty.") }
        if let server { _ = try RemoteOptions.address(server) }
        guard name.map({ $0.count <= 100 }) ?? true else {
            throw ValidationError("The name of the device must not be longer than 100 characters.")
        }
    }

    /// Returns the settings of the exchange: the settings of the last exchange, changed by these options.
    private func settings(after last: ExchangeSettings?, in home: Home) throws -> ExchangeSettings {
        var settings = ExchangeSettings(
            name: name ?? last?.name ?? "",
            overdrafts: overdrafts?.value.rawValue ?? last?.overdrafts ?? OverdraftPolicy.forgiven.rawValue)
        let folder = folder.map(Self.absolute) ?? (server == nil ? last?.folder : nil)
        if let folder {
            (settings.folder, settings.key) = (folder, keyFile.map(Self.absolute) ?? last?.key)
        } else if let server = server ?? last?.server {
            guard keyFile == nil else {
                throw ToolFailure(status: .usage, reason: "at a server there is no --key: the server has it")
            }
            settings.server = server
            settings.app = try app ?? last?.app ?? home.openStore().bundleIdentifier
        } else {
            throw ToolFailure(
                status: .usage,
                reason: "name the folder that the devices share with --folder, or the app's server with --server")
        }
        return settings
    }

    private static func absolute(_ path: String) -> String {
        URL(filePath: path, directoryHint: .notDirectory).absoluteURL.path(percentEncoded: false)
    }

    /// Determines the folder or server, the settings and the options for the exchange of a storage directory.
    func resolved(for home: Home) throws -> ExchangeWay {
        guard var settings = try HomeSettings.read(from: home) else {
            throw ToolFailure(
                status: .noInput,
                reason: "there is no home in \(home.url.relativePath); create one with 'vitrine init'")
        }
        let exchange = try self.settings(after: settings.exchange, in: home)
        settings.exchange = exchange
        var options = ExchangeOptions(name: exchange.name)
        options.overdrafts = OverdraftPolicy(rawValue: exchange.overdrafts) ?? .forgiven
        guard let folder = exchange.folder else {
            return ExchangeWay(settings: settings, sharedFolder: nil, server: exchange.serverOptions, options: options)
        }
        options.key = try key(exchange.key, of: folder, home)
        let sharedFolder = ExchangeFolder(url: URL(filePath: folder, directoryHint: .isDirectory))
        return ExchangeWay(settings: settings, sharedFolder: sharedFolder, server: nil, options: options)
    }

    private func key(_ key: String?, of folder: String, _ home: Home) throws -> LedgerSealKey? {
        guard !home.contains(folder + "/.") else {
            throw ToolFailure(
                status: .usage, reason: "\(folder): the folder of the devices must not be in the home")
        }
        if let key, Home(url: URL(filePath: folder, directoryHint: .isDirectory)).contains(key) {
            throw ToolFailure(
                status: .usage, reason: "\(key): the customer's key must not be in the folder that it protects")
        }
        var seal = SealOptions()
        seal.keyFile = key
        return try seal.key(home: home, document: nil)
    }
}

/// Value of an enumeration of the library as a command-line argument, by its raw value.
struct RawArgument<Value: RawRepresentable<String> & CaseIterable & Sendable>: ExpressibleByArgument {
    let value: Value

    init?(argument: String) {
        guard let value = Value(rawValue: argument) else { return nil }
        self.value = value
    }

    static var allValueStrings: [String] { Value.allCases.map(\.rawValue) }
}

extension ExchangeSettings {
    /// Server options of the manager; `nil` if the devices exchange in a folder.
    var serverOptions: ManagerOptions.Server? {
        guard let url = server.flatMap(URL.init(string:)), let app else { return nil }
        return ManagerOptions.Server(url: url, app: app, deviceName: name)
    }
}

/// Folder or server for the exchange with the customer's other devices, with options.
struct ExchangeWay {
    /// Settings to store after a successful exchange.
    let settings: HomeSettings
    /// Shared folder of the devices; `nil` if they use a server.
    let sharedFolder: ExchangeFolder?
    /// App's own server; `nil` if the devices use a folder.
    let server: ManagerOptions.Server?
    let options: ExchangeOptions
}

/// Exchange of a storage directory with the customer's other devices, in a folder or at a server.
struct HomeExchange {
    let manager: CatalogManager
    let way: ExchangeWay

    /// Reports the store's signed data to the server.
    ///
    /// - Returns: Result of the server for each signed transaction or other signed data; `nil` without a server.
    func reportSigned() async throws(AppServerError) -> [ReportedSignature]? {
        guard way.sharedFolder == nil else { return nil }
        return try await manager.server.report()
    }

    func run() async throws(ExchangeError) -> ExchangeReport {
        guard let sharedFolder = way.sharedFolder else { return try await manager.server.exchange(way.options) }
        return try await manager.devices.exchange(at: sharedFolder, way.options)
    }

    func remove(_ device: String) async throws(ExchangeError) {
        try await manager.devices.remove(device)
        _ = try await run()
    }

    func leave() async throws(ExchangeError) {
        guard let sharedFolder = way.sharedFolder else { return try await manager.server.leave(way.options) }
        try await manager.devices.leave(at: sharedFolder, way.options)
    }

    func lease(
        _ amount: Int, of wallet: String, token: String, until end: Date
    ) async throws(ExchangeError) {
        guard let sharedFolder = way.sharedFolder else {
            return try await manager.server.lease(amount, of: wallet, token: token, until: end, way.options)
        }
        try await manager.devices.lease(amount, of: wallet, token: token, until: end, at: sharedFolder, way.options)
    }

    func release(_ token: String) async throws(ExchangeError) {
        guard let sharedFolder = way.sharedFolder else { return try await manager.server.release(token, way.options) }
        try await manager.devices.release(token, at: sharedFolder, way.options)
    }
}

extension ToolFailure {
    init(_ error: AppServerError) {
        let status: ExitStatus =
            switch error.code {
            case .connection, .unavailable, .conflict, .customerChanged, .storage: .inputOutput
            case .format, .tooLarge: .unusableData
            case .unauthenticated, .forbidden, .notOwned, .notFound, .insufficientFunds, .refused: .no
            case .invalidRequest: .usage
            }
        self.init(status: status, reason: error.reason)
    }
}
