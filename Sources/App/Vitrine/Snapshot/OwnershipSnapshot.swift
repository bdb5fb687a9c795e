internal import Crypto
public import Foundation
internal import VitrineEntitlements
internal import VitrineFileSystem
public import VitrineSupport

/// Snapshot of what a customer owns, in a small sealed file for widgets and other extensions of an app.
///
/// A manager with ``ManagerOptions/snapshot`` writes the file after each change. An extension reads it without a manager:
///
/// ```swift
/// let snapshot = try OwnershipSnapshot(contentsOf: file, key: key)
/// if snapshot.owns("com.example.voyager.lisbon") { … }
/// ```
///
/// Nobody locks the file. The storage directory of a manager, on the other hand, contains locks and a database, and must
/// not be in a container that an app shares with its extensions: iOS ends an app that is suspended while it holds a lock
/// there.
public struct OwnershipSnapshot: Sendable, Hashable {
    /// Date at which the snapshot was taken.
    public let date: Date
    /// Units in each wallet with a known balance, by `storageKey`.
    public let balances: [String: Int]
    /// Owned products from each date on, earliest first. The first element is for the date of the snapshot.
    private let periods: [Period]

    private struct Period: Sendable, Hashable, Codable {
        let begin: Date
        let owned: [String]
    }

    /// Returns the identifiers of the owned products at a date, as the app would determine them if it did not receive
    /// anything else from the store until then: a subscription that was to renew counts for as long as the app's
    /// ``ManagerOptions/Purchases/renewalLeeway`` lasts.
    public func owned(at date: Date = Date()) -> [String] {
        (periods.last { $0.begin <= date } ?? periods.first)?.owned ?? []
    }

    /// Returns `true` if the customer owns a product at a date.
    public func owns(_ product: String, at date: Date = Date()) -> Bool { owned(at: date).contains(product) }

    /// Dates after that of the snapshot at which the owned products change, for the timeline of a widget.
    public var changeDates: [Date] { periods.dropFirst().map(\.begin) }
}

// MARK: - Reading

extension OwnershipSnapshot {
    /// Largest size of a snapshot's file, in bytes.
    private static let sizeLimit = 4 << 20

    /// Reads a snapshot.
    ///
    /// - Throws: ``OwnershipSnapshotError`` if there is no file, or it was not written with the key.
    public init(contentsOf file: URL, key: OwnershipSnapshotKey) throws(OwnershipSnapshotError) {
        let data: Data
        do {
            data = try BoundedFile.read(file, limit: Self.sizeLimit)
        } catch {
            throw OwnershipSnapshotError(code: .unreadable, reason: error.reason)
        }
        try self.init(data: data, key: key)
    }

    /// Reads the bytes of a snapshot: the seal in hexadecimal, a line break, and a JSON object.
    init(data: Data, key: OwnershipSnapshotKey) throws(OwnershipSnapshotError) {
        guard data.count <= Self.sizeLimit, let end = data.firstIndex(of: UInt8(ascii: "\n")) else {
            throw OwnershipSnapshotError(code: .untrusted, reason: "the file is no snapshot of ownership")
        }
        let json = data[data.index(after: end)...]
        guard data[..<end].elementsEqual(key.seal(of: json).utf8) else {
            throw OwnershipSnapshotError(code: .untrusted, reason: "the snapshot was not written with this key")
        }
        let content: Content
        do {
            content = try JSONDecoder().decode(Content.self, from: json)
        } catch {
            throw OwnershipSnapshotError(code: .untrusted, reason: "the snapshot is of another version")
        }
        (date, balances, periods) = (content.date, content.balances, content.periods)
    }

    private struct Content: Codable {
        let date: Date
        let balances: [String: Int]
        let periods: [Period]
    }

    /// Returns the bytes of the snapshot, sealed with a key.
    func data(sealedWith key: OwnershipSnapshotKey) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = try encoder.encode(Content(date: date, balances: balances, periods: periods))
        return Data("\(key.seal(of: json))\n".utf8) + json
    }
}

extension OwnershipSnapshot {
    /// Largest number of future changes in a snapshot.
    private static let mostChanges = 100

    /// Takes a snapshot, with the changes that follow if nothing else is received.
    init(of entitlements: EntitlementSnapshot) {
        var future = entitlements
        var periods = [Period(begin: future.date, owned: future.owned)]
        while periods.count <= Self.mostChanges, let end = future.nextEnd {
            _ = future.set(date: end)
            if future.owned != periods.last?.owned { periods.append(Period(begin: end, owned: future.owned)) }
        }
        self.periods = periods
        date = entitlements.date
        balances = entitlements.balances.keys.reduce(into: [:]) { known, wallet in
            if case .known(let units) = entitlements.balance(of: wallet) { known[wallet] = units }
        }
    }
}

/// Key that an app and its extensions share, such as in a keychain group. It seals the snapshot with HMAC-SHA256.
public struct OwnershipSnapshotKey: Sendable {
    /// Minimum length of the key, in bytes.
    public static let minimumLength = 32

    private let key: SymmetricKey

    /// Creates a key from random bytes.
    ///
    /// - Throws: ``OwnershipSnapshotError``: `shortKey` if there are fewer than ``minimumLength`` bytes.
    public init(_ material: Data) throws(OwnershipSnapshotError) {
        guard material.count >= Self.minimumLength else {
            throw OwnershipSnapshotError(
                code: .shortKey,
                reason: "the key has \(material.count) bytes, but must have at least \(Self.minimumLength)")
        }
        key = SymmetricKey(data: material)
    }

    fileprivate func seal(of data: Data) -> String {
        var code = HMAC<SHA256>(key: key)
        // The key seals nothing else than snapshots of this version.
        code.update(data: Data("vitrine-ownership-snapshot 1\n".utf8))
        code.update(data: data)
        return Data(code.finalize()).hexadecimal
    }
}

/// Error of a snapshot of ownership.
public typealias OwnershipSnapshotError = CodedError<OwnershipSnapshotErrorCode>

/// Category of ``OwnershipSnapshotError``.
public enum OwnershipSnapshotErrorCode: String, ErrorCode {
    /// The file does not exist, or cannot be read.
    case unreadable
    /// The file was not written with this key, or was changed since then.
    case untrusted
    /// The key has fewer than ``OwnershipSnapshotKey/minimumLength`` bytes.
    case shortKey = "short-key"

    public var advice: String? {
        switch self {
        case .unreadable: "Open the app once, so that it writes the snapshot."
        case .untrusted: "Use the key of the app, and open the app once, so that it writes the snapshot again."
        case .shortKey: "Use at least 32 random bytes as the key."
        }
    }
}
