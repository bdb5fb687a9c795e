import ArgumentParser
import Foundation
import Logging
import VitrineAppServer
import VitrineCommandSupport
import VitrineSupport

struct AppServeCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the customers, catalogs and content of apps.",
        discussion: """
            Without a configuration, the app is that of the simulated store that 'vitrine init' has set up in the home, \
            and its data is kept in the folder Server of the home. The command prints its address when it is ready, and \
            ends with SIGTERM or Ctrl-C after the answers to the requests that it has received.

            A configuration is a property list; Documentation/AppServer.md describes its keys. The environment variables \
            VITRINE_DATA, VITRINE_POSTGRESQL and VITRINE_OPERATOR_TOKENS take precedence over it, and the options over \
            both. --check also opens the database, if there is one; its exit status is 65 if something is wrong, and 66 if \
            there is no configuration.

            EXAMPLE:
              vitrine-server serve
              vitrine-server serve --config /etc/vitrine/server.plist --check
            """
    )

    @Option(
        help: ArgumentHelp("The configuration, a property list.", valueName: "file"),
        completion: .file(extensions: ["plist"]))
    var config: String?

    @Option(
        help: ArgumentHelp(
            "The home with the simulated store, without --config. (default: the environment variable VITRINE_HOME, else "
                + ".vitrine in the current folder)", valueName: "dir"),
        completion: .directory)
    var home: String?

    @Option(
        help: ArgumentHelp(
            "The address of this machine at which the server listens, such as 0.0.0.0 for all. (default: 127.0.0.1)",
            valueName: "address"))
    var host: String?

    @Option(
        help: ArgumentHelp("The port. 0 stands for one that the system chooses. (default: 8080)", valueName: "number"))
    var port: Int?

    @Option(
        help: ArgumentHelp("The folder in which customers are kept, in a file of SQLite.", valueName: "folder"),
        completion: .directory)
    var data: String?

    @Flag(help: "Validate the configuration and the database, report all errors, and exit.")
    var check = false

    @Flag(help: "Log each request to standard error.")
    var verbose = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        for (name, text) in [("--config", config), ("--home", home), ("--host", host), ("--data", data)]
        where text == "" {
            throw ValidationError("\(name) must not be empty.")
        }
        guard home == nil || config == nil else { throw ValidationError("Use either --config or --home, not both.") }
        guard (0...65_535).contains(port ?? 0) else {
            throw ValidationError("The port must be from 0 to 65535, not \(port ?? 0).")
        }
    }

    func report() async throws -> Report {
        var (configuration, remarks) = try serverConfiguration()
        if let host { configuration.listen.host = host }
        if let port { configuration.listen.port = port }
        if let data { configuration.storage = .folder(URL(filePath: data, directoryHint: .isDirectory)) }
        remarks.append("customers are kept in \(configuration.storagePlace)")
        if check { return try await report(on: configuration, remarks) }
        for remark in remarks { Console.say(remark) }
        try await serve(configuration)
        // With --json, the addresses have already been printed as the only document.
        if output.json { throw ExitCode.success }
        return Report(lines: [], json: [:])
    }

    /// Returns the configuration from the file, or for the simulated store, with remarks about the defaults.
    private func serverConfiguration() throws -> (AppServerConfiguration, remarks: [String]) {
        let environment = ProcessInfo.processInfo.environment
        do {
            if let config {
                let file = URL(filePath: config, directoryHint: .notDirectory)
                return (try AppServerConfiguration(file: file, environment: environment), [])
            }
            var (configuration, remarks) = try SimulatedApp.configuration(home: home, environment: environment)
            try configuration.apply(environment: environment)
            return (configuration, remarks)
        } catch let error as AppServerConfigurationError {
            throw ToolFailure(error)
        }
    }

    private func report(on configuration: AppServerConfiguration, _ remarks: [String]) async throws -> Report {
        let errors =
            await [configuration.addressError, configuration.databaseError()].compactMap(\.self)
            + configuration.catalogErrors()
        guard errors.isEmpty else { throw ToolFailure(status: .unusableData, reasons: errors) }
        let remarks = remarks + configuration.remarks
        return Report(
            lines: ["the configuration is valid: \(configuration.apps.count.with("app"))"],
            json: ["apps": configuration.apps.map(\.name)], remarks: remarks)
    }

    private func serve(_ configuration: AppServerConfiguration) async throws {
        let serving = Serving(logging: verbose ? .info : .warning)
        let logger = serving.logger
        let isJSON = output.json
        let server = AppServer(configuration: configuration, logger: logger) { [logger] addresses in
            do {
                try Console.write(isJSON ? [Serving.line(addresses.document)] : addresses.lines)
            } catch {
                logger.error("the address of the server cannot be printed: \(error)")
            }
        }
        do {
            try await serving.run(server)
        } catch let error as AppServerConfigurationError {
            throw ToolFailure(error)
        } catch let error as any DescribedError {
            throw ToolFailure(status: .inputOutput, reason: error.description)
        } catch let error as AppServerAddressError {
            let (address, isOfOperators) = (error.address, error.address == configuration.operatorsListen)
            throw ToolFailure(
                status: .inputOutput,
                reason: Serving.reason(
                    for: error.cause, host: address.host, port: address.port,
                    remedy: isOfOperators ? "the key operators of a configuration sets another" : Serving.anyPort))
        } catch {
            throw ToolFailure(status: .inputOutput, reason: "the server has ended: \(error)")
        }
    }
}

extension AppServer.Addresses {
    fileprivate var lines: [String] {
        ["the server answers at \(apps.absoluteString)"]
            + (operators.map { ["operators use \($0.absoluteString)/operator"] } ?? [])
    }

    fileprivate var document: JSONObject { ["url": apps, "operators": operators] }
}

extension AppServerConfiguration {
    /// Remarks about features that this configuration does not enable.
    fileprivate var remarks: [String] {
        var remarks = operators.isEmpty ? ["there is no operator, and therefore no page for operators"] : []
        for app in apps {
            if app.catalog == nil { remarks.append("\(app.name): no catalog is published at the start") }
            if app.serverKey == nil {
                remarks.append("\(app.name): without a serverKey, notifications that are missed stay missed")
            }
        }
        return remarks
    }
}

extension ToolFailure {
    fileprivate init(_ error: AppServerConfigurationError) {
        let status: ExitStatus =
            switch error.code {
            case .missingFile: .noInput
            case .unreadable: .inputOutput
            case .invalid: .unusableData
            }
        self.init(status: status, reasons: error.context.isEmpty ? [error.reason] : error.context)
    }
}
