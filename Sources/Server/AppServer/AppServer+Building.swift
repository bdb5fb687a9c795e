package import Foundation
package import Logging
internal import Metrics
internal import VitrineAppServerPostgreSQL
package import VitrineAppServerRecords
internal import VitrineFileSystem
internal import VitrineHTTPServing
internal import VitrineSupport

/// Clock, randomness and limits of a server.
package struct AppServerOptions: Sendable {
    package var customers = CustomerOptions()
    package var sleep: @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    /// Maximum rate of requests to the operators' address without a valid token, from one client address.
    package var refusedOperators = RequestRate(count: 10, seconds: 60)
    /// Maximum time of the database to answer the check of the server's readiness.
    package var readinessTime = Duration.seconds(1)
    /// Maximum time to receive the body of a request.
    package var bodyTime = Duration.seconds(20)
    /// Maximum time for which a connection may be idle.
    package var idleTime = Duration.seconds(60)
    /// Maximum time to finish running requests during a shutdown.
    package var endTime = Duration.seconds(20)
    /// Function that opens the files of hosted content.
    var openFile: FileOpening = { names, folder throws(ContentUnavailable) in try OpenFile(names, below: folder) }

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
        let addresses = ClientAddress(proxies: configuration.proxies, logger: logger)
        self.init(
            records: records,
            contentFolders: Dictionary(
                configuration.apps.compactMap { app in app.content.map { (app.name, $0) } },
                uniquingKeysWith: { first, _ in first }),
            openFile: options.openFile,
            catalogs: PublishedCatalogs(records: records, trusts: configuration.catalogTrusts, now: options.now),
            operators: OperatorAccounts(configuration.operators), now: options.now, logger: logger,
            limits: ServiceLimits(configuration.limits, now: options.now),
            refusedOperators: RefusedOperators(
                RequestLimits(options.refusedOperators, now: options.now), metrics),
            addresses: addresses,
            streams: CustomerStreams(
                records, limits: StreamLimits(configuration.limits, most: max(ConnectionLimit.present / 2, 1)),
                metrics: metrics, sleep: options.sleep),
            readiness: Readiness(),
            checks: ServerChecks(records, addresses, within: options.readinessTime, now: options.now), metrics: metrics,
            requests: RequestMetrics(metrics), bodyTime: TimeLimit(options.bodyTime))
    }
}

/// Returns the routes for devices, the store and the apps' own servers.
package func buildRouter(_ services: AppServices) -> Routes {
    var routes = Routes(bodyTime: services.bodyTime, metrics: services.requests) { request, context in
        try services.limits.requests.count(services.addresses.name(of: request, context))
    }
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
            return try SQLiteCustomerDatabase(file: Self.file(in: folder))
        case .postgreSQL(let connection):
            #if PostgreSQL
                return try await PostgreSQLCustomerDatabase.open(connection)
            #else
                _ = connection
                throw DatabaseError(code: .refused, reason: Self.reasonWithoutPostgreSQL ?? "")
            #endif
        }
    }

    /// Name of the configured database, without passwords, for messages.
    package var storagePlace: String {
        switch storage {
        case .memory: return "memory"
        case .folder(let folder): return Self.file(in: folder).relativePath
        case .postgreSQL(let connection):
            #if PostgreSQL
                return PostgreSQLCustomerDatabase.place(of: connection)
            #else
                _ = connection
                return "PostgreSQL"
            #endif
        }
    }

    /// Returns the reason why the configured database cannot be used; `nil` if it can. Nothing is created or changed, and a
    /// server may use the database meanwhile.
    package func databaseError() async -> String? {
        do {
            switch storage {
            case .memory: break
            case .folder(let folder): try await SQLiteCustomerDatabase.check(file: Self.file(in: folder))
            case .postgreSQL:
                let database = try await openDatabase()
                await database.close()
            }
            return nil
        } catch {
            return (error as? DatabaseError)?.reason ?? BoundedFile.reason(for: error)
        }
    }

    private static func file(in folder: URL) -> URL {
        folder.appending(path: "customers.sqlite", directoryHint: .notDirectory)
    }
}
