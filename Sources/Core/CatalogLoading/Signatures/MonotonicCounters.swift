internal import Foundation
internal import VitrineCatalog

/// Persistent storage for named numbers that only increase.
public protocol MonotonicCounters: Sendable {
    /// Raises the number with a name to a value, unless it is at least as high already, and returns after the number is
    /// stored durably.
    ///
    /// Concurrent calls for the same name all return the highest value.
    ///
    /// - Returns: Highest number that is stored for the name after the call.
    /// - Throws: If the number cannot be stored.
    func advance(_ name: String, to value: Int64) async throws -> Int64

    /// Returns the current value of the number with a name.
    ///
    /// - Returns: `nil` for a number that was never raised.
    /// - Throws: If the number cannot be read.
    func highest(_ name: String) async throws -> Int64?
}

/// Record of the newest signed catalogs seen for one channel of an app, as numbers that only increase.
struct SeenCounters {
    private let numbers: any MonotonicCounters
    private let place: String

    init(_ numbers: any MonotonicCounters, app: String, channel: String) {
        self.numbers = numbers
        place = "\(app)/\(channel)"
    }

    /// Name of one of the numbers that are recorded about signed catalogs, such as the highest version that was seen.
    enum Name {
        /// Version of the newest `keys.plist` that a root key has signed.
        case keysVersion(root: String)
        /// Date of issue of the newest `keys.plist` of any root, in seconds since 1970.
        case keysIssued
        /// Epoch, a series of versions, to which the newest catalogs belong.
        case epoch
        /// Highest version of a catalog seen in an epoch, a series of versions.
        case version(epoch: Int)
        /// Date of issue of the newest catalog in an epoch, in seconds since 1970.
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

    /// Returns the current value of a recorded number, such as the highest version of a catalog that was seen.
    ///
    /// - Returns: `nil` if the number was never recorded.
    func highest(_ name: Name) async throws -> Int64? { try await numbers.highest(full(name)) }

    /// Returns the current value of a recorded date, such as the date of issue of the newest catalog that was seen;
    /// `nil` if the date was never recorded.
    func latest(_ name: Name) async throws -> Date? {
        try await highest(name).map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// Durably raises a recorded number, such as the highest version of a catalog that was seen, to a value, unless the
    /// number is at least as high already.
    ///
    /// - Returns: The resulting number: higher than the value if a newer catalog or `keys.plist` has been seen.
    func advance(_ name: Name, to value: Int64) async throws -> Int64 {
        if let highest = try await highest(name), highest >= value { return highest }
        return try await numbers.advance(full(name), to: value)
    }

    /// Durably moves a recorded date, such as the date of issue of the newest catalog that was seen, forward to a given
    /// date, unless the recorded date is at least as late already.
    ///
    /// - Returns: The resulting date: later than the given one if a newer catalog or `keys.plist` has been seen.
    func advance(_ name: Name, to date: Date) async throws -> Date {
        Date(timeIntervalSince1970: Double(try await advance(name, to: date.milliseconds / 1_000)))
    }

    private func full(_ name: Name) -> String { "\(name.text)/\(place)" }
}
