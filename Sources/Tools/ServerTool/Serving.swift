import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals
import VitrineCommandSupport
import VitrineFileSystem
import VitrineSupport

/// Server of a command that listens on a port.
struct Serving {
    /// Logger that writes to standard error.
    let logger: Logger
    private let immediateEnd = ImmediateEnd()

    /// Prepares the process for a server: permits as many open files as the system allows, and logs to standard error.
    init(logging level: Logger.Level) {
        OpenFiles.permitAll()
        LoggingSystem.bootstrap { [immediateEnd] label in
            ServerLogHandler(base: StreamLogHandler.standardError(label: label), immediateEnd: immediateEnd)
        }
        var logger = Logger(label: "vitrine-server")
        logger.logLevel = level
        self.logger = logger
    }

    /// Runs a server until the process receives a signal. The first SIGTERM or SIGINT shuts the server down gracefully,
    /// the second one immediately. Programs such as `timeout` send their signal twice.
    func run(_ server: any Service) async throws {
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: logger))
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            tasks.addTask {
                var received = signals.makeAsyncIterator()
                guard await received.next() != nil else { return }
                await group.triggerGracefulShutdown()
                guard await received.next() != nil else { return }
                immediateEnd.request()
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

/// Request to end the process without waiting for the connections.
private final class ImmediateEnd: Sendable {
    private let state = Locked(false)

    var isRequested: Bool { state.withLock { $0 } }

    func request() { state.withLock { $0 = true } }
}

/// Log of a server. After a request to end immediately, it leaves out the messages of Hummingbird's server, which logs
/// as errors that its tasks are canceled and that its connections are closed.
private struct ServerLogHandler: LogHandler {
    var base: StreamLogHandler
    let immediateEnd: ImmediateEnd

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        guard event.source != "HummingbirdCore" || !immediateEnd.isRequested else { return }
        base.log(event: event)
    }
}
