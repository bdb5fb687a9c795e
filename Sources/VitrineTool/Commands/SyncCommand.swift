import ArgumentParser
import CatalogCommands
import Entitlements
import Foundation
import Vitrine

/// Exchange with the customer's other devices, as options of a command. What is not named is as in the last exchange.
struct ExchangeCommandOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The folder that all devices of the customer share, outside the home. (default: that of the last exchange)",
            valueName: "dir"))
    var folder: String?

    @Option(
        name: .customLong("key"),
        help: ArgumentHelp(
            "The file with the customer's key: 32 to 4096 random bytes, the same on all devices, outside the home. "
                + "(default: that of the last exchange, or none)", valueName: "file"))
    var keyFile: String?

    @Option(help: ArgumentHelp("The name of this device, for people. (default: that of the last exchange)"))
    var name: String?

    @Option(
        help: ArgumentHelp(
            "The treatment of units that two devices have spent although the wallet contained them once: forgiven or "
                + "owed, the same on all devices. (default: that of the last exchange, or forgiven)",
            valueName: "policy"))
    var overdrafts: OverdraftArgument?

    func validate() throws {
        guard folder != "" else { throw ValidationError("The path of the folder must not be empty.") }
        guard name.map({ $0.count <= 100 }) ?? true else {
            throw ValidationError("The name of the device must not be longer than 100 characters.")
        }
    }

    /// Returns the settings of the last exchange of a home with what these options change.
    func settings(after last: ExchangeSettings?) throws(ToolFailure) -> ExchangeSettings {
        guard let folder = folder.map(Self.absolute) ?? last?.folder else {
            throw ToolFailure(status: .usage, reason: "name the folder that the devices share with --folder")
        }
        return ExchangeSettings(
            folder: folder, key: keyFile.map(Self.absolute) ?? last?.key, name: name ?? last?.name ?? "",
            overdrafts: overdrafts?.rawValue ?? last?.overdrafts ?? OverdraftPolicy.forgiven.rawValue)
    }

    private static func absolute(_ path: String) -> String {
        URL(filePath: path, directoryHint: .notDirectory).absoluteURL.path(percentEncoded: false)
    }

    /// Returns what a home exchanges with: the folder of the devices, and the options of the exchange.
    func resolved(for home: Home) throws -> (settings: HomeSettings, place: ExchangeFolder, options: ExchangeOptions) {
        guard var settings = try HomeSettings.read(from: home) else {
            throw ToolFailure(
                status: .noInput,
                reason: "there is no home in \(home.url.relativePath); create one with 'vitrine init'")
        }
        let exchange = try self.settings(after: settings.exchange)
        var seal = SealOptions()
        seal.keyFile = exchange.key
        guard !home.contains(exchange.folder + "/.") else {
            throw ToolFailure(
                status: .usage, reason: "\(exchange.folder): the folder of the devices must not be in the home")
        }
        if let key = exchange.key, Home(url: URL(filePath: exchange.folder, directoryHint: .isDirectory)).contains(key)
        {
            throw ToolFailure(
                status: .usage, reason: "\(key): the customer's key must not be in the folder that it protects")
        }
        var options = ExchangeOptions(key: try seal.key(home: home, document: nil), name: exchange.name)
        options.overdrafts = OverdraftPolicy(rawValue: exchange.overdrafts) ?? .forgiven
        settings.exchange = exchange
        return (settings, ExchangeFolder(url: URL(filePath: exchange.folder, directoryHint: .isDirectory)), options)
    }
}

/// Policies of ``OverdraftPolicy``, as an argument.
enum OverdraftArgument: String, ExpressibleByArgument, CaseIterable {
    case forgiven, owed
}

struct SyncCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Exchange purchases, wallets and grants with the customer's other devices.",
        discussion: """
            The devices share a folder, in which each of them publishes what it has recorded. Purchases are verified \
            again; grants, deposits and debits count only if they are sealed with the customer's key. The exit status \
            is 1 if something of another device was refused or contradicts this ledger.

            EXAMPLE:
              head -c 32 /dev/urandom > customer.key
              vitrine sync --folder Shared --key customer.key --name "Ada's phone"
              vitrine sync
            """
    )

    @OptionGroup var exchange: ExchangeCommandOptions
    @OptionGroup var session: SessionOptions

    var output: OutputOptions { session.output }

    var activity: String? { "exchanging" }

    func report() async throws -> Report {
        let (settings, place, options) = try exchange.resolved(for: session.home.folder)
        return try await OpenHome.open(session).use { manager, _ in
            let report = try await ToolFailure.exchanging { () async throws(ExchangeError) in
                try await manager.devices.exchange(at: place, options)
            }
            // The settings of an exchange that works are those of the next one.
            if try HomeSettings.read(from: session.home.folder)?.exchange != settings.exchange {
                try settings.write(to: session.home.folder)
            }
            let offered = try await ToolFailure.exchanging { () async throws(ExchangeError) in
                try await manager.devices.offeredContent()
            }
            return Report(report, offering: offered, DeviceNames(try await manager.devices.all()))
        }
    }
}

extension Report {
    fileprivate init(_ report: ExchangeReport, offering offered: [OfferedContent], _ names: DeviceNames) {
        var lines = ["\(report.sent.with("fact")) sent, \(report.received) received"]
        lines += report.adjusted.map { adjusted in
            "the wallet \(adjusted.wallet) was adjusted by \(adjusted.amount) to what all devices have recorded"
                + (adjusted.overdrawn > 0
                    ? "; in all they have spent \(adjusted.overdrawn.with("unit")) that it did not contain then" : "")
        }
        lines += report.problems.map { problem in
            "\(problem.isFinal ? "" : "left for the next exchange: ")\(names.name(problem.device)): \(problem.reason) "
                + "(\(problem.document))"
        }
        if report.problemCount > report.problems.count {
            lines.append("\(report.problemCount - report.problems.count) further problems")
        }
        lines += offered.map { content in
            "content of \(content.product) is on \(content.devices.map(names.name).joined(separator: ", ")); "
                + "'vitrine content download' fetches it"
        }
        self.init(
            lines: lines,
            json: [
                "sent": report.sent, "received": report.received,
                "adjusted": report.adjusted.map { adjusted -> JSONObject in
                    ["wallet": adjusted.wallet, "amount": adjusted.amount, "overdrawn": adjusted.overdrawn]
                },
                "problems": report.problems.map { problem -> JSONObject in
                    [
                        "document": problem.document, "device": problem.device, "reason": problem.reason,
                        "final": problem.isFinal,
                    ]
                },
                "problemCount": report.problemCount,
                "content": offered.map { content -> JSONObject in
                    ["product": content.product, "version": content.version, "devices": content.devices]
                },
            ], status: report.problems.contains(where: \.isFinal) ? .no : .yes)
    }
}

/// Names of the customer's devices, for people.
struct DeviceNames {
    private let names: [String: String]

    init(_ manager: CatalogManager) async throws {
        let devices = try await ToolFailure.exchanging { () async throws(ExchangeError) in
            try await manager.devices.all()
        }
        self.init(devices)
    }

    init(_ devices: [CustomerDevice]) {
        names = Dictionary(devices.map { ($0.id, $0.name) }) { first, _ in first }
    }

    func name(_ device: String) -> String {
        guard let name = names[device], !name.isEmpty else { return device }
        return name
    }

    /// Name of the device that has recorded something, as the rest of a sentence; empty for this device.
    func words(_ device: String?) -> String { device.map { ", on \(name($0))" } ?? "" }
}

extension ToolFailure {
    /// Calls a function that exchanges, and converts its errors.
    static func exchanging<Value>(_ body: () async throws(ExchangeError) -> Value) async throws(ToolFailure) -> Value {
        do throws(ExchangeError) {
            return try await body()
        } catch {
            let status: ExitStatus =
                switch error.code {
                case .place, .storage, .busy: .inputOutput
                case .tooLarge: .unusableData
                case .otherCustomer, .removed, .insufficientFunds, .invalid: .no
                }
            throw ToolFailure(status: status, reason: error.reason)
        }
    }
}
