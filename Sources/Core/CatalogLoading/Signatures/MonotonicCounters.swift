internal import Foundation
internal import VitrineCatalog

/// Persistent storage for named counters that only increase.
public protocol MonotonicCounters: Sendable {
    /// Raises a counter to a value, unless the counter is already at least as high. The function returns after the
    /// counter is stored durably.
    ///
    /// Concurrent calls for the same name all return the highest value.
    ///
    /// - Returns: Value of the counter after the call.
    /// - Throws: An error of the storage if the counter cannot be stored.
    func advance(_ name: String, to value: Int64) async throws -> Int64

    /// Returns the current value of a counter.
    ///
    /// - Returns: `nil` for a counter that was never raised.
    /// - Throws: An error of the storage if the counter cannot be read.
    func highest(_ name: String) async throws -> Int64?
}

/// Counters with the versions and dates of the newest signed catalogs accepted for one channel of an app.
struct SeenCounters {
    private let numbers: any MonotonicCounters
    private let place: String

    init(_ numbers: any MonotonicCounters, app: String, channel: String) {
        self.numbers = numbers
        place = "\(app)/\(channel)"
    }

    enum Name {
        /// Version of the newest `keys.plist` signed by the given root key.
        case keysVersion(root: String)
        /// Date of issue of the newest `keys.plist` signed by any root key, in seconds since 1970.
        case keysIssued
        /// Epoch (series of versions) of the newest catalogs.
        case epoch
        /// Highest accepted version of a catalog in the given epoch.
        case version(epoch: Int)
        /// Date of issue of the newest catalog in the given epoch, in seconds since 1970.
        case issued(epoch: Int)
        /// Latest date of issue of the catalog with a given version, in seconds since 1970. A catalog may be signed
        /// again, with the same version and a later date.
        case issuedAs(version: Int, epoch: Int)

        fileprivate var text: String {
            switch self {
            case .keysVersion(let root): "keys-version/\(root)"
            case .keysIssued: "keys-issued"
            case .epoch: "catalog-epoch"
            case .version(let epoch): "catalog-version/\(epoch)"
            case .issued(let epoch): "catalog-issued/\(epoch)"
            case .issuedAs(let version, let epoch): "catalog-issued/\(epoch)/\(version)"
            }
        }
    }

    /// Returns the current value of a counter, such as the highest accepted version of a catalog.
    ///
    /// - Returns: `nil` if the counter was never raised.
    func highest(_ name: Name) async throws -> Int64? { try await numbers.highest(full(name)) }

    /// Returns the current value of a counter as a date, such as the date of issue of the newest catalog; `nil` if the
    /// counter was never raised.
    func latest(_ name: Name) async throws -> Date? {
        try await highest(name).map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// Durably raises a counter, such as the highest accepted version of a catalog, to a value, unless the counter is
    /// already at least as high.
    ///
    /// - Returns: Resulting value of the counter. It is higher than the argument if a newer catalog or `keys.plist` was
    ///   accepted before.
    func advance(_ name: Name, to value: Int64) async throws -> Int64 {
        if let highest = try await highest(name), highest >= value { return highest }
        return try await numbers.advance(full(name), to: value)
    }

    /// Durably raises a counter for a date, such as the date of issue of the newest catalog, to a given date, unless
    /// the recorded date is already at least as late.
    ///
    /// - Returns: Resulting date. It is later than the argument if a newer catalog or `keys.plist` was accepted before.
    func advance(_ name: Name, to date: Date) async throws -> Date {
        Date(timeIntervalSince1970: Double(try await advance(name, to: date.milliseconds / 1_000)))
    }

    private func full(_ name: Name) -> String { "\(name.text)/\(place)" }
}

/// Counter of ``SeenCounters/Name/issuedAs(version:epoch:)`` with its stored name.
private struct IssueDateCounter {
    let name: String
    /// Epoch, app and channel.
    let series: [Substring]
    let version: Int

    /// Parses the stored name of a counter; `nil` for one of another kind.
    init?(_ name: String) {
        // The names of apps and channels contain no slash.
        let parts = name.split(separator: "/")
        guard parts.count == 5, parts[0] == "catalog-issued", let version = Int(parts[2]) else { return nil }
        self.name = name
        self.version = version
        series = [parts[1], parts[3], parts[4]]
    }
}

extension Dictionary<String, Int64> {
    /// These counters, by name, without the dates of issue of all versions of a catalog but the highest one. Each version
    /// has such a counter, and lower versions are refused without it.
    package var withoutLowerVersions: [String: Int64] {
        let dates = keys.compactMap(IssueDateCounter.init)
        var highest: [[Substring]: Int] = [:]
        for date in dates { highest[date.series] = Swift.max(highest[date.series] ?? date.version, date.version) }
        let lower = Set(dates.filter { $0.version != highest[$0.series] }.map(\.name))
        return filter { !lower.contains($0.key) }
    }
}
