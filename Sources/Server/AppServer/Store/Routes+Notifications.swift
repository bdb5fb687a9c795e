internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Metrics
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords
internal import VitrineSupport

extension Routes {
    /// Adds the route that receives the store's notifications.
    mutating func addNotifications(_ services: AppServices) {
        let counters = NotificationCounters(services.metrics)
        add(AppServerAPI.notify) { call in
            let app = try call.parameter("app")
            // A failed request is costly: the store sends a notification again only after an hour, and in the sandbox
            // not at all.
            let body = try await call.bytes()
            let outcome: NotificationOutcome
            do throws(CustomerError) {
                outcome = try await services.records.receive(notification: body, app: app)
            } catch {
                counters.count(error.code.rawValue)
                throw error
            }
            counters.count(outcome.rawValue)
            return try call.reply(NotificationResult(outcome: outcome))
        }
    }
}

/// Counters of received notifications by outcome.
private struct NotificationCounters: Sendable {
    private let counters: [String: Counter]

    init(_ factory: any MetricsFactory) {
        let outcomes =
            NotificationOutcome.allCases.map(\.rawValue)
            + [CustomerErrorCode.invalid, .rejected, .notFound, .conflict, .tooLarge, .unavailable].map(\.rawValue)
        counters = Dictionary(
            outcomes.map { outcome in
                let dimensions = [("outcome", outcome)]
                return (outcome, Counter(label: "notifications_total", dimensions: dimensions, factory: factory))
            }, uniquingKeysWith: { first, _ in first })
    }

    func count(_ outcome: String) { counters[outcome]?.increment() }
}
