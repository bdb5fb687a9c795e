internal import Foundation
internal import Logging
internal import ServiceLifecycle
internal import VitrineAppServerRecords
internal import VitrineReceipts
internal import VitrineSupport

/// Service that fetches notifications of an app that have not arrived from the store's server: at the start of the
/// server, and every hour. If several servers share a database, only one of them does so.
struct Reconciliation: Service {
    private static let interval: TimeInterval = 3_600

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
            while !Task.isCancelled {
                await reconcile()
                do {
                    try await sleep(Self.interval)
                } catch {
                    return
                }
            }
        }
    }

    private func reconcile() async {
        do {
            // The job is reserved for a bit less than the interval, so that the same server can begin it again the next
            // time.
            guard try await records.beginJob("reconcile \(app)", holder: holder, seconds: Self.interval * 0.9) else {
                return
            }
            let count = try await records.reconcile(app: app, with: client)
            logger.info("reconciliation of \(app): \(count) notifications had not arrived")
        } catch {
            logger.warning("reconciliation of \(app): \(error.reason)")
        }
    }
}
