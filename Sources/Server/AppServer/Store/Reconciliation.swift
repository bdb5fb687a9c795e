internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import VitrineAppServerRecords
internal import VitrineReceipts
internal import VitrineSupport

/// Service that fetches notifications of an app that have not arrived from the store's server: at each start of a server,
/// every hour, and soon after an attempt that failed. If several servers share a database, only one of them does so every
/// hour. Two of them may do so at the same time, because a notification is recorded once.
struct Reconciliation: Service {
    private static let interval: TimeInterval = 3_600
    /// Time in seconds from a failed attempt to the next one, which doubles with each further failure.
    private static let firstDelay: TimeInterval = 60

    private let app: String
    private let client: AppStoreServerClient
    private let records: CustomerRecords
    private let holder = UUID().uuidString
    private let sleep: @Sendable (TimeInterval) async throws -> Void
    private let logger: Logger

    /// - Returns: `nil` for an app without a key for the App Store Server API.
    init?(_ app: ConfiguredApp, records: CustomerRecords, options: AppServerOptions, logger: Logger) {
        guard let key = app.serverKey else { return nil }
        let server =
            app.storeServer.map { AppStoreServerClient.Server.other($0) }
            ?? (app.environment == .production ? .production : .sandbox)
        client = AppStoreServerClient(
            server: server, key: key, bundleIdentifier: app.bundleIdentifier, now: options.now)
        (self.app, self.records, sleep, self.logger) = (app.name, records, options.sleep, logger)
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            // Notifications may have been missed before the start, and the server that has the job may have ended.
            var isStart = true
            var delay = Self.firstDelay
            while !Task.isCancelled {
                let isDone = await reconcile(takingOver: isStart)
                if isDone { (isStart, delay) = (false, Self.firstDelay) }
                do {
                    try await sleep(isDone ? Self.interval : delay)
                } catch {
                    return
                }
                if !isDone { delay = min(delay * 2, Self.interval) }
            }
        }
    }

    /// Reconciles if no other server has the job.
    ///
    /// - Returns: `false` if the attempt failed. The job is then free for each server.
    private func reconcile(takingOver: Bool) async -> Bool {
        let job = "reconcile \(app)"
        do throws(CustomerError) {
            // The job is reserved for a bit less than the interval, so that the same server can begin it again the next
            // time.
            guard
                try await records.beginJob(
                    job, holder: holder, seconds: Self.interval * 0.9, takingOver: takingOver)
            else { return true }
            do throws(CustomerError) {
                let count = try await records.reconcile(app: app, with: client)
                logger.info("reconciliation of \(app): \(count) notifications had not arrived")
                return true
            } catch {
                try await records.endJob(job, holder: holder)
                throw error
            }
        } catch {
            logger.warning("reconciliation of \(app): \(error.reason)")
            return false
        }
    }
}
