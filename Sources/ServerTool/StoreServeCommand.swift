import ArgumentParser
import CatalogCommands
import FileSystem
import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import StoreServer
import StoreSimulator
import UnixSignals

struct StoreServeCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Answer for a simulated store as Apple's servers do.",
        discussion: """
            The server answers Apple's App Store Server API, and sends App Store Server Notifications to the address that \
            'vitrine store webhook' sets. It prints its address when it is ready, and ends with SIGTERM or Ctrl-C after \
            the answers to the requests that it has received. Other commands can change the store meanwhile.

            EXAMPLE:
              vitrine-server store .vitrine/Store --port 8080
            """
    )

    @Argument(
        help: ArgumentHelp("The folder of the store: the folder Store of a home.", valueName: "folder"))
    var folder: String

    @OptionGroup var options: ServeOptions
    @OptionGroup var output: OutputOptions

    func report() async throws -> Report {
        OpenFiles.permitAll()
        LoggingSystem.bootstrap { label in StreamLogHandler.standardError(label: label) }
        let logger = options.logger
        let store: SimulatedStore
        do throws(SimulatedStoreError) {
            store = try SimulatedStore(folder: URL(filePath: folder, directoryHint: .isDirectory))
        } catch {
            throw ToolFailure(status: error.status, reason: error.reason)
        }
        let isJSON = output.json
        let server = StoreServer(store: store, options: options.serverOptions, logger: logger) { url in
            do {
                try Console.write([isJSON ? Self.line(["url": url]) : "the store answers at \(url.absoluteString)"])
            } catch {
                logger.error("the address of the server cannot be printed: \(error)")
            }
        }
        do {
            for remark in try await Self.remarks(on: store) { Console.say(remark) }
            try await Self.run(server, logger)
        } catch let error as StoreRecordingError {
            throw ToolFailure(status: error.status, reason: error.description)
        } catch let error as SimulatedStoreError {
            throw ToolFailure(status: error.status, reason: error.reason)
        } catch {
            throw ToolFailure(status: .inputOutput, reason: options.reason(for: error))
        }
        // With --json, the address was the one document.
        if isJSON { throw ExitCode.success }
        return Report(lines: [], json: [:], status: .yes)
    }

    /// Returns a JSON document in one line, so that a reader knows its end while the server runs.
    private static func line(_ document: JSONObject) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }

    /// Returns what is missing in the store for the server of an app.
    private static func remarks(on store: SimulatedStore) async throws(SimulatedStoreError) -> [String] {
        var remarks: [String] = []
        if try await store.serverKeys().isEmpty {
            remarks.append("the store has no key yet, and accepts no request: 'vitrine store key' makes a key")
        }
        if try await store.notificationURL == nil {
            remarks.append("no notifications are sent: 'vitrine store webhook' sets the address that receives them")
        }
        return remarks
    }

    /// Runs a server until a signal ends it gracefully, or a second signal at once.
    private static func run(_ server: StoreServer, _ logger: Logger) async throws {
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: logger))
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask {
                var received = signals.makeAsyncIterator()
                guard await received.next() != nil else { return }
                await group.triggerGracefulShutdown()
                _ = await received.next()
            }
            defer { tasks.cancelAll() }
            try await tasks.next()
        }
    }
}

extension ServeOptions {
    /// Returns why a server with these options cannot run.
    func reason(for error: any Error) -> String {
        let cause: String
        switch error {
        case is SocketAddressError, is SocketAddressError.UnknownHost: cause = "there is no such address"
        case let error as IOError:
            cause =
                switch error.errnoCode {
                case EADDRINUSE: "the port is in use already; --port 0 lets the system choose one"
                case EADDRNOTAVAIL: "this machine does not have that address"
                default: BoundedFile.reason(for: NSError(domain: NSPOSIXErrorDomain, code: Int(error.errnoCode)))
                }
        default: return "the server has ended: \(error)"
        }
        return "the server cannot listen at \(host), port \(port): \(cause)"
    }

    var logger: Logger {
        var logger = Logger(label: "vitrine-server")
        logger.logLevel = verbose ? .info : .warning
        return logger
    }

    var serverOptions: StoreServerOptions {
        var options = StoreServerOptions()
        (options.host, options.port, options.limitsRates) = (host, port, rateLimits)
        options.deliveryTime = deliveryTime
        options.recording = record.map { URL(filePath: $0, directoryHint: .notDirectory) }
        return options
    }
}

extension CodedError<SimulatedStoreErrorCode> {
    /// Exit status for the error.
    fileprivate var status: ExitStatus {
        switch code {
        case .notFound: .noInput
        case .storage: .inputOutput
        default: .unusableData
        }
    }
}

extension StoreRecordingError {
    /// Exit status for the error.
    fileprivate var status: ExitStatus {
        switch code {
        case .malformed, .newerVersion: .unusableData
        case .storage: .inputOutput
        default: .no
        }
    }
}
