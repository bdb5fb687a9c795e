internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Metrics
internal import NIOCore
internal import VitrineAppServerRecords
internal import VitrineHTTPServing

extension Routes {
    /// Adds the routes for monitoring: liveness, readiness and metrics.
    mutating func addHealth(_ services: AppServices) {
        let (checks, metrics) = (services.checks, services.metrics)
        add(.get, "/health/live", isCounted: false) { _ in
            try .json(Health(status: "live"), headers: [.cacheControl: "no-store"])
        }
        add(.get, "/health/ready", isCounted: false) { _ in
            guard !services.readiness.isEnding else { throw ErrorResponse.unavailable("The server is shutting down.") }
            try await checks.checkDatabase()
            return try .json(
                Health(status: "ready", warnings: try await checks.warnings()), headers: [.cacheControl: "no-store"])
        }
        add(.get, "/metrics", isCounted: false) { _ in
            try await metrics.record(checks.counts())
            return Response(
                "text/plain; version=0.0.4", ByteBuffer(string: metrics.text), headers: [.cacheControl: "no-store"])
        }
    }
}

private struct Health: Encodable {
    let status: String
    var warnings: [String] = []
}

extension PrometheusMetrics {
    /// Records the counts of the database as gauges.
    fileprivate func record(_ counts: ServerCounts) {
        Gauge(label: "customers", dimensions: [], factory: self).record(counts.customers)
        Gauge(label: "devices", dimensions: [], factory: self).record(counts.devices)
        for (state, count) in counts.notifications {
            Gauge(label: "notifications", dimensions: [("state", state)], factory: self).record(count)
        }
        guard let last = counts.lastNotification else { return }
        Gauge(label: "last_notification_timestamp_seconds", dimensions: [], factory: self)
            .record(last.timeIntervalSince1970)
    }
}
