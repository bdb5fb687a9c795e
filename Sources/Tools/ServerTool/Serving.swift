import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals
import VitrineCommandSupport
import VitrineFileSystem
import VitrineSupport

/// Shared functions of the commands that listen on a port.
enum Serving {
    /// Prepares the process for a server: permits as many open files as the system allows, and logs to standard error.
    static func prepare(logging level: Logger.Level) -> Logger {
        OpenFiles.permitAll()
        LoggingSystem.bootstrap { label in StreamLogHandler.standardError(label: label) }
        var logger = Logger(label: "vitrine-server")
        logger.logLevel = level
        return logger
    }

    /// Runs a server until the process receives a signal. The first SIGTERM or SIGINT shuts the server down gracefully,
    /// the second one immediately.
    static func run(_ server: any Service, _ logger: Logger) async throws {
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

    /// Remedy for a port in use that an option of the command names.
    static let anyPort = "--port 0 lets the system choose one"

    /// Returns the reason why a server cannot run.
    ///
    /// - Parameter remedy: What gives the server another port if the port is in use.
    static func reason(for error: any Error, host: String, port: Int, remedy: String = anyPort) -> String {
        let cause: String
        switch error {
        case is SocketAddressError, is SocketAddressError.UnknownHost: cause = "there is no such address"
        case let error as IOError:
            cause =
                switch error.errnoCode {
                case EADDRINUSE: "the port is in use already; \(remedy)"
                case EADDRNOTAVAIL: "this machine does not have that address"
                default: BoundedFile.reason(for: NSError(domain: NSPOSIXErrorDomain, code: Int(error.errnoCode)))
                }
        default: return "the server has ended: \(error)"
        }
        return "the server cannot listen at \(host), port \(port): \(cause)"
    }

    /// Encodes a JSON document in one line, so that a program that reads the output of the running server can find its
    /// end.
    static func line(_ document: JSONObject) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return String(decoding: try encoder.encode(document), as: UTF8.self)
    }
}
