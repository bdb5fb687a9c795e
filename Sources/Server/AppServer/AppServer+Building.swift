package import Foundation
package import Logging
internal import Metrics
internal import VitrineAppServerPostgreSQL
package import VitrineAppServerRecords
internal import VitrineFileSystem
internal import VitrineSupport

/// Clock, randomness and limits of a server.
package struct AppServerOptions: Sendable {
    package var customers = CustomerOptions()
    package var sleep: @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    /// Maximum rate of device enrollments from one client address.
    package var enrollments = RequestRate(count: 60, seconds: 3_600)
    /// Maximum rate of write requests from one device.
    package var writes = RequestRate(count: 10, seconds: 1)
    /// Maximum time of the database to answer the check of the server's readiness.
    package var readinessTime = Duration.seconds(1)
    /// Maximum time to receive the body of a request.
    package var bodyTime = Duration.seconds(20)
    /// Maximum time for which a connection may be idle.
    package var idleTime = Duration.seconds(60)
    /// Maximum time to finish running requests during a shutdown.
    package var endTime = Duration.seconds(20)

    package init() {}

    var now: @Sendable () -> Date { customers.now }
}

extension AppServices {
    /// Creates the services that the routes of a server share.
    package init(
        records: CustomerRecords, configuration: AppServerConfiguration, options: AppServerOptions = AppServerOptions(),
        logger: Logger
    ) {
        let metrics = PrometheusMetrics()
        self.init(
            records: records,
            contentFolders: Dictionary(
                configuration.apps.compactMap { app in app.content.map { (app.name, $0) } },
                uniquingKeysWith: { first, _ in first }),
            catalogs: PublishedCatalogs(records: records, trusts: configuration.catalogTrusts, now: options.now),
            operators: OperatorAccounts(configuration.operators), now: options.now, logger: logger,
            enrollments: RequestLimits(options.enrollments, now: options.now),
            writes: RequestLimits(options.writes, now: options.now),
            addresses: ClientAddress(isBehindProxy: configuration.isBehindProxy),
            streams: CustomerStreams(records, metrics: metrics, sleep: options.sleep), readiness: Readiness(),
            checks: ServerChecks(records, within: options.readinessTime, now: options.now), metrics: metrics,
            requests: RequestMetrics(metrics), bodyTime: options.bodyTime)
    }
}

/// Returns the routes for devices, the store and the apps' own servers.
package func buildRouter(_ services: AppServices) -> Routes {
    var routes = Routes(bodyTime: services.bodyTime, metrics: services.requests)
    routes.addHealth(services)
    routes.addDevices(services)
    routes.addCustomerState(services)
    routes.addChanges(services)
    routes.addWallets(services)
    routes.addDocuments(services)
    routes.addNotifications(services)
    routes.addVerification(services)
    routes.addCatalogs(services)
    routes.addContent(services)
    return routes
}

/// Returns the routes for operators, which are served at a separate address.
package func buildOperatorRouter(_ services: AppServices) -> Routes {
    var routes = Routes(bodyTime: services.bodyTime, metrics: services.requests)
    routes.addHealth(services)
    routes.addOperators(services)
    return routes
}

extension AppServerConfiguration {
    /// Opens the configured database: SQLite in memory, a file of SQLite, or PostgreSQL.
    func openDatabase() async throws -> any CustomerDatabase {
        switch storage {
        case .memory: return try SQLiteCustomerDatabase.inMemory()
        case .folder(let folder):
            let parent = folder.deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            return try SQLiteCustomerDatabase(
                file: folder.appending(path: "customers.sqlite", directoryHint: .notDirectory))
        case .postgreSQL(let connection):
            #if PostgreSQL
                return try await PostgreSQLCustomerDatabase.open(connection)
            #else
                _ = connection
                throw DatabaseError(code: .refused, reason: Self.reasonWithoutPostgreSQL ?? "")
            #endif
        }
    }
}
