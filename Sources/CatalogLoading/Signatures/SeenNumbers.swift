internal import Foundation
internal import ProductCatalog

/// What was seen of the signed catalogs of one channel of an app: numbers that only grow.
struct SeenNumbers {
    private let numbers: any HighestNumbers
    private let place: String

    init(_ numbers: any HighestNumbers, app: String, channel: String) {
        self.numbers = numbers
        place = "\(app)/\(channel)"
    }

    /// A number that is kept.
    enum Name {
        /// The version of the `keys.plist` of a root.
        case keysVersion(root: String)
        /// When a `keys.plist` was issued, of whatever root: in seconds since 1970.
        case keysIssued
        /// The count of versions that catalogs belong to.
        case epoch
        /// The version of a catalog.
        case version(epoch: Int)
        /// When a catalog was issued: in seconds since 1970.
        case issued(epoch: Int)
        /// When the catalog of one version was issued, which may be signed anew: in seconds since 1970.
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

    /// - Returns: `nil` where none was seen.
    func highest(_ name: Name) async throws -> Int64? { try await numbers.highest(full(name)) }

    /// The latest date that was seen.
    func latest(_ name: Name) async throws -> Date? {
        try await highest(name).map { Date(timeIntervalSince1970: Double($0)) }
    }

    /// Raises a number durably, if it is lower.
    ///
    /// - Returns: The number as it is now: higher, where something newer has been seen.
    func raise(_ name: Name, to value: Int64) async throws -> Int64 {
        if let highest = try await highest(name), highest >= value { return highest }
        return try await numbers.raise(full(name), to: value)
    }

    /// Raises a date durably, if it is earlier.
    ///
    /// - Returns: The date as it is now: later, where something newer has been seen.
    func raise(_ name: Name, to date: Date) async throws -> Date {
        Date(timeIntervalSince1970: Double(try await raise(name, to: date.milliseconds / 1_000)))
    }

    private func full(_ name: Name) -> String { "\(name.text)/\(place)" }
}
