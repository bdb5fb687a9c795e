internal import Foundation
package import Metrics
internal import VitrineSupport

/// Backend of swift-metrics that stores the metrics of a server in memory, and exports them in the text format of
/// Prometheus, version 0.0.4.
package final class PrometheusMetrics: MetricsFactory, Sendable {
    /// Upper bounds of a histogram's buckets: in seconds for times, otherwise in the unit of the values.
    private static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    enum Kind: String {
        case counter, gauge, histogram
    }

    struct Series: Hashable {
        let name: String
        /// Pairs of label name and value, sorted by name.
        let labels: [[String]]
    }

    private let families = Locked<[String: (kind: Kind, handlers: [Series: SeriesHandler])]>([:])

    package init() {}

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        handler(label, dimensions, .counter)
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        handler(label, dimensions, .counter)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        handler(label, dimensions, .gauge)
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        handler(label, dimensions, aggregate ? .histogram : .gauge)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        handler(label, dimensions, .histogram)
    }

    // Destroyed series remain in the output, because scrapers take a missing series for a restart of the server.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func handler(_ label: String, _ dimensions: [(String, String)], _ kind: Kind) -> SeriesHandler {
        let series = Series(
            name: Self.name(label), labels: dimensions.map { [Self.name($0.0), $0.1] }.sorted { $0[0] < $1[0] })
        return families.withLock { families in
            if let known = families[series.name]?.handlers[series] { return known }
            let handler = SeriesHandler(bounds: kind == .histogram ? Self.bounds : nil)
            families[series.name, default: (kind, [:])].handlers[series] = handler
            return handler
        }
    }

    /// Replaces the characters that Prometheus does not permit in a name.
    private static func name(_ label: String) -> String {
        let name = String(
            label.unicodeScalars.map {
                $0.isASCII && $0.properties.isAlphabetic || ("0"..."9").contains($0) ? Character($0) : "_"
            })
        return name.first?.isNumber == false ? name : "_" + name
    }

    // MARK: Text

    /// All metrics in the text format of Prometheus.
    package var text: String {
        let families = families.withLock { $0 }
        var lines: [String] = []
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            lines.append("# TYPE \(name) \(family.kind.rawValue)")
            let sorted = family.handlers.sorted {
                $0.key.labels.lexicographicallyPrecedes($1.key.labels, by: Self.precedes)
            }
            for (series, handler) in sorted { lines += Self.lines(series, handler) }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func precedes(_ left: [String], _ right: [String]) -> Bool { left.lexicographicallyPrecedes(right) }

    private static func lines(_ series: Series, _ handler: SeriesHandler) -> [String] {
        let value = handler.value
        guard !value.buckets.isEmpty else { return ["\(series.name)\(labels(series)) \(text(value.sum))"] }
        var lines: [String] = []
        for (bound, count) in zip(bounds.map { text($0) } + ["+Inf"], value.buckets) {
            lines.append("\(series.name)_bucket\(labels(series, also: ["le", bound])) \(count)")
        }
        lines.append("\(series.name)_sum\(labels(series)) \(text(value.sum))")
        lines.append("\(series.name)_count\(labels(series)) \(value.buckets.last ?? 0)")
        return lines
    }

    private static func labels(_ series: Series, also further: [String]? = nil) -> String {
        let all = series.labels + (further.map { [$0] } ?? [])
        guard !all.isEmpty else { return "" }
        let texts = all.map { label in
            let value = label[1].replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing(
                "\n", with: "\\n")
            return "\(label[0])=\"\(value)\""
        }
        return "{\(texts.joined(separator: ","))}"
    }

    private static func text(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? String(value)
    }
}

/// Values of one time series of a metric.
final class SeriesHandler: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    struct Value {
        /// Value of a counter or gauge; sum of a histogram's values.
        var sum = 0.0
        /// Cumulative counts: of the values up to each bound, and of all values; empty if the metric is not a
        /// histogram.
        var buckets: [Int] = []
    }

    private let bounds: [Double]?
    private let state: Locked<Value>

    init(bounds: [Double]?) {
        self.bounds = bounds
        state = Locked(Value(buckets: bounds.map { Array(repeating: 0, count: $0.count + 1) } ?? []))
    }

    var value: Value { state.withLock { $0 } }

    func increment(by amount: Int64) { increment(by: Double(amount)) }
    func increment(by amount: Double) { state.withLock { $0.sum += amount } }
    func decrement(by amount: Double) { state.withLock { $0.sum -= amount } }
    func reset() { state.withLock { $0.sum = 0 } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0.sum = value } }
    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Double) {
        guard let bounds else { return set(value) }
        state.withLock { state in
            state.sum += value
            for index in bounds.indices where value <= bounds[index] { state.buckets[index] += 1 }
            state.buckets[bounds.count] += 1
        }
    }
}
