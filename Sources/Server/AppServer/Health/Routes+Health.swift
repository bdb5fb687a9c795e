internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Metrics
internal import NIOCore
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords
internal import VitrineHTTPServing

extension Routes {
    /// Adds the routes for monitoring: liveness, readiness and metrics.
    mutating func addHealth(_ services: AppServices) {
        let (checks, metrics) = (services.checks, services.metrics)
        add(OperatorAPI.live, isCounted: false) { call in
            try call.reply(Health(status: "live"), headers: [.cacheControl: "no-store"])
        }
        add(OperatorAPI.ready, isCounted: false) { call in
            guard !services.readiness.isEnding else { throw ErrorResponse.unavailable("The server is shutting down.") }
            try await checks.checkDatabase()
            return try call.reply(
                Health(status: "ready", warnings: try await checks.warnings()), headers: [.cacheControl: "no-store"])
        }
        add(OperatorAPI.metrics, isCounted: false) { _ in
            try await metrics.record(checks.counts())
            return Response(
                "text/plain; version=0.0.4", ByteBuffer(string: metrics.text), headers: [.cacheControl: "no-store"])
        }
    }
}

struct Health: SentBody, Encodable {
    let status: String
    var warnings: [String] = []
}

extension PrometheusMetrics {
    /// Records the counts of the database as gauges.
    fileprivate func record(_ counts: ServerCounts) {
        Gauge(label: "customers", dimensions: [], factory: self).record(counts.customers)
        Gauge(label: "devices", dimensions: [], factory: self).record(counts.devices)
        // A state without notifications has no count, and its gauge would keep the last one.
        for outcome in NotificationOutcome.allCases where outcome != .known {
            Gauge(label: "notifications", dimensions: [("state", outcome.rawValue)], factory: self)
                .record(counts.notifications[outcome.rawValue] ?? 0)
        }
        guard let last = counts.lastNotification else { return }
        Gauge(label: "last_notification_timestamp_seconds", dimensions: [], factory: self)
            .record(last.timeIntervalSince1970)
    }
}
