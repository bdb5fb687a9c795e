public import Foundation
internal import Hummingbird
public import Logging
public import ServiceLifecycle
internal import VitrineAppServerRecords
internal import VitrineHTTPServing
internal import VitrineSupport

/// Server for apps: manages their customers and devices, data from the store, catalogs and hosted content.
///
/// Several servers can use one PostgreSQL database at the same time. A SQLite file has one server.
public struct AppServer: Service {
    /// Addresses at which a server accepts connections.
    public struct Addresses: Sendable, Hashable {
        /// Address for devices, the store and the apps' own servers.
        public let apps: URL
        /// Address for operators; `nil` if there is no operator.
        public let operators: URL?
    }

    private let configuration: AppServerConfiguration
    private let options: AppServerOptions
    private let logger: Logger
    private let onReady: @Sendable (Addresses) async -> Void

    /// Creates a server, which ``run()`` starts.
    ///
    /// - Parameters:
    ///   - configuration: Addresses, apps, and where customers are stored.
    ///   - logger: Logger of requests and failures. It receives no tokens, no signed data and no transaction numbers.
    ///   - onReady: Function that is called once the server accepts connections.
    public init(
        configuration: AppServerConfiguration, logger: Logger = Logger(label: "vitrine.app-server"),
        onReady: @escaping @Sendable (Addresses) async -> Void = { _ in }
    ) {
        self.init(configuration: configuration, options: AppServerOptions(), logger: logger, onReady: onReady)
    }

    package init(
        configuration: AppServerConfiguration, options: AppServerOptions, logger: Logger,
        onReady: @escaping @Sendable (Addresses) async -> Void = { _ in }
    ) {
        (self.configuration, self.options, self.logger, self.onReady) = (configuration, options, logger, onReady)
    }

    /// Serves requests until the task is canceled, or its service group shuts down gracefully. Then the server reports
    /// that it is not ready, ends event streams, accepts no connections, and finishes the requests that it has
    /// received.
    ///
    /// - Throws: An error if the database cannot be used, a catalog cannot be published, or the server cannot listen at
    ///   its addresses.
    public func run() async throws {
        if let reason = configuration.addressError {
            throw AppServerConfigurationError(code: .invalid, reason: reason, context: [])
        }
        let now = options.now
        var customers = options.customers
        customers.mostDocumentFacts = configuration.limits.documentFacts
        let records = try await CustomerRecords(
            database: configuration.openDatabase(), apps: configuration.apps.map { $0.served(now: now) },
            options: customers)
        do {
            let services = AppServices(
                records: records, configuration: configuration, options: options, logger: logger)
            try await configuration.publishMissingCatalogs(through: services.catalogs, of: records, logger: logger)
            try await serve(services)
        } catch {
            await records.close()
            throw error
        }
        await records.close()
    }

    private func serve(_ services: AppServices) async throws {
        let records = services.records
        // The services of a group end in the reverse order.
        var group = ServiceGroupConfiguration(
            services: [
                BackgroundWork { [options] in
                    await records.run(sleep: options.sleep) { await services.streams.send($0) }
                }, services.streams,
            ]
                + reconciliations(records)
                + applications(services), logger: logger)
        group.maximumGracefulShutdownDuration = options.endTime
        let running = ServiceGroup(configuration: group)
        let (drain, sleep) = (configuration.drain, options.sleep)
        // The inner services need a task of their own, because they shut down later than the service that contains
        // them.
        let task = Task.detached { try await running.run() }
        try await withTaskCancellationHandler {
            try await withGracefulShutdownHandler {
                try await task.value
            } onGracefulShutdown: {
                services.readiness.end()
                Task {
                    if drain > 0 {
                        // A cancelled sleep only ends the wait early.
                        do { try await sleep(drain) } catch {}
                    }
                    services.streams.finish()
                    await running.triggerGracefulShutdown()
                }
            }
        } onCancel: {
            services.streams.finish()
            task.cancel()
        }
    }

    private func applications(_ services: AppServices) -> [any Service] {
        let hasOperators = !configuration.operators.isEmpty
        let ready = ReadyAddresses(count: hasOperators ? 2 : 1, onReady)
        var applications: [any Service] = []
        if hasOperators {
            applications.append(
                application(
                    OperatorResponder(
                        buildOperatorRouter(services), names: [configuration.operatorsListen.host.lowercased()]),
                    at: configuration.operatorsListen
                ) { await ready.set(operators: $0) })
        }
        applications.append(
            application(buildRouter(services), at: configuration.listen) { await ready.set(apps: $0) })
        return applications
    }

    private func application<Responder: HTTPResponder>(
        _ responder: Responder, at address: AppServerConfiguration.Address,
        onReady: @escaping @Sendable (URL) async -> Void
    ) -> some Service where Responder.Context == ConnectionContext {
        AddressedService(
            address: address,
            base: Application(
                responder, host: address.host, port: address.port, idleTime: options.idleTime,
                connectionsPerAddress: configuration.proxies == 0 ? configuration.limits.connections : nil,
                logger: logger, onReady: onReady))
    }

    private func reconciliations(_ records: CustomerRecords) -> [any Service] {
        configuration.apps.compactMap { app in
            Reconciliation(app, records: records, options: options, logger: logger)
        }
    }
}

/// Error of one of a server's applications, which cannot listen at its address or has ended.
package struct AppServerAddressError: Error, CustomStringConvertible {
    package let address: AppServerConfiguration.Address
    /// Error of the application.
    package let cause: any Error

    package var description: String { "the server at \(address.host), port \(address.port): \(cause)" }
}

/// Service whose errors name its address.
private struct AddressedService<Base: Service>: Service {
    let address: AppServerConfiguration.Address
    let base: Base

    func run() async throws {
        do {
            try await base.run()
        } catch let error as CancellationError {
            throw error
        } catch {
            throw AppServerAddressError(address: address, cause: error)
        }
    }
}

/// Collector of the addresses of a server's applications, which are reported when all of them are known.
private final class ReadyAddresses: Sendable {
    private struct Known {
        var apps: URL?
        var operators: URL?
        var missing: Int
    }

    private let known: Locked<Known>
    private let onReady: @Sendable (AppServer.Addresses) async -> Void

    init(count: Int, _ onReady: @escaping @Sendable (AppServer.Addresses) async -> Void) {
        known = Locked(Known(missing: count))
        self.onReady = onReady
    }

    func set(apps: URL? = nil, operators: URL? = nil) async {
        let addresses: AppServer.Addresses? = known.withLock { known in
            if let apps { known.apps = apps }
            if let operators { known.operators = operators }
            known.missing -= 1
            guard known.missing == 0, let apps = known.apps else { return nil }
            return AppServer.Addresses(apps: apps, operators: known.operators)
        }
        if let addresses { await onReady(addresses) }
    }
}
