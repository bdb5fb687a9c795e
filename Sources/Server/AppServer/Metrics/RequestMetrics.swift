internal import HTTPTypes
package import Metrics
internal import VitrineSupport

/// Metrics of a server's requests by route, method and status. Labels have few values and never identify a customer.
package final class RequestMetrics: Sendable {
    private let factory: any MetricsFactory
    private let paths = Locked<[String: PathMetrics]>([:])

    package init(_ factory: any MetricsFactory) { self.factory = factory }

    /// Metrics of requests to paths without a route.
    var ofUnknownPaths: PathMetrics { path("none") }

    /// Returns the metrics of a route's path, such as `/v1/me/documents/{name}`.
    func path(_ path: String) -> PathMetrics {
        let factory = factory
        return paths.withLock { paths in
            if let known = paths[path] { return known }
            let metrics = PathMetrics(path, factory)
            paths[path] = metrics
            return metrics
        }
    }
}

/// Metrics of the requests to one route.
final class PathMetrics: Sendable {
    private struct Key: Hashable {
        let method: String
        let status: Int
    }

    private let path: String
    private let factory: any MetricsFactory
    private let timer: Timer
    private let counters = Locked<[Key: Counter]>([:])

    fileprivate init(_ path: String, _ factory: any MetricsFactory) {
        (self.path, self.factory) = (path, factory)
        timer = Timer(
            label: "http_request_duration_seconds", dimensions: [("route", path)], preferredDisplayUnit: .seconds,
            factory: factory)
    }

    /// Counts a request.
    ///
    /// - Parameter duration: Time from receiving the head of the request until sending the head of the response.
    func count(_ method: HTTPRequest.Method, _ status: HTTPResponse.Status, _ duration: Duration) {
        let key = Key(method: Self.name(method), status: status.code)
        let (path, factory) = (path, factory)
        let counter = counters.withLock { counters in
            if let known = counters[key] { return known }
            let dimensions = [("route", path), ("method", key.method), ("status", String(key.status))]
            let counter = Counter(label: "http_requests_total", dimensions: dimensions, factory: factory)
            counters[key] = counter
            return counter
        }
        counter.increment()
        let (seconds, attoseconds) = duration.components
        timer.recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// Returns the label value of an HTTP method. All unknown methods share one value, because clients can send any
    /// word as method.
    private static func name(_ method: HTTPRequest.Method) -> String {
        switch method {
        case .get, .head, .post, .put, .delete: method.rawValue
        default: "other"
        }
    }
}
