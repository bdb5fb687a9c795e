public import Foundation
public import VitrineDeviceExchange
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
/// The file is read and written without a lock. The storage directory of a manager, on the other hand, contains locks and
/// a database, and must not be in a container that an app shares with its extensions: iOS ends an app that is suspended
/// while it holds a lock there.
public struct OwnershipSnapshot: Sendable, Hashable, Codable {
    /// Date at which the snapshot was taken.
    public let date: Date
    /// Units in each wallet with a known balance, by `storageKey`.
    public let balances: [String: Int]
    /// Identifiers of the products that were owned at the date of the snapshot.
    private var owned: [String]
    /// Changes of ownership that follow if the app receives nothing else, earliest first.
    private var changes: [Change]

    private struct Change: Sendable, Hashable, Codable {
        let date: Date
        let gained: [String]
        let lost: [String]
    }

    /// Returns the identifiers of the owned products at a date, as the app would determine them if it did not receive
    /// anything else from the store until then: a subscription that was to renew counts for as long as the app's
    /// ``ManagerOptions/Purchases/renewalLeeway`` lasts.
    public func owned(at date: Date = Date()) -> [String] {
        changes.prefix { $0.date <= date }.reduce(owned) { owned, change in
            owned.filter { !change.lost.contains($0) } + change.gained
        }
    }

    /// Returns `true` if the customer owns a product at a date.
    public func owns(_ product: String, at date: Date = Date()) -> Bool { owned(at: date).contains(product) }

    /// Dates after that of the snapshot at which the owned products change, for the timeline of a widget.
    public var changeDates: [Date] { changes.map(\.date) }
}

extension OwnershipSnapshot {
    /// Largest number of future changes in a snapshot.
    private static let mostChanges = 100

    /// Takes a snapshot, with the changes that follow if nothing else is received.
    init(of entitlements: EntitlementSnapshot) {
        var (future, changes) = (entitlements, [Change]())
        while changes.count < Self.mostChanges, let end = future.nextEnd {
            let passed = future.set(date: end)
            guard !passed.newlyOwned.isEmpty || !passed.noLongerOwned.isEmpty else { continue }
            changes.append(Change(date: end, gained: passed.newlyOwned, lost: passed.noLongerOwned))
        }
        self.changes = changes
        date = entitlements.date
        owned = entitlements.owned
        balances = entitlements.balances.keys.reduce(into: [:]) { known, wallet in
            if case .known(let units) = entitlements.balance(of: wallet) { known[wallet] = units }
        }
    }
}

extension OwnershipSnapshot {
    /// Adds what an earlier snapshot says of the products whose ownership is unknown now.
    mutating func retain(_ earlier: OwnershipSnapshot, unknownTo entitlements: EntitlementSnapshot) {
        func isUnknown(_ product: String) -> Bool {
            if case .unknown = entitlements.ownership(of: product) { true } else { false }
        }
        owned += earlier.owned(at: date).filter(isUnknown)
        let retained = earlier.changes.filter { $0.date > date }.map { change in
            Change(date: change.date, gained: change.gained.filter(isUnknown), lost: change.lost.filter(isUnknown))
        }
        changes += retained.filter { !$0.gained.isEmpty || !$0.lost.isEmpty }
        changes.sort { $0.date < $1.date }
    }
}

// MARK: - File

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

    /// Reads the bytes of a snapshot: the seal, and a JSON object.
    init(data: Data, key: OwnershipSnapshotKey) throws(OwnershipSnapshotError) {
        let (seal, json) = (
            data.prefix(OwnershipSnapshotKey.sealLength), data.dropFirst(OwnershipSnapshotKey.sealLength)
        )
        guard data.count <= Self.sizeLimit, key.isSeal(seal, of: json) else {
            throw OwnershipSnapshotError(code: .untrusted, reason: "the snapshot was not written with this key")
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: json)
        } catch {
            throw OwnershipSnapshotError(code: .untrusted, reason: "the snapshot is of another version")
        }
    }

    /// Writes the snapshot to a file.
    ///
    /// - Throws: ``OwnershipSnapshotError``: `unwritable`.
    func write(to file: URL, sealedWith key: OwnershipSnapshotKey) throws(OwnershipSnapshotError) {
        do {
            let json = try JSONEncoder().encode(self)
            let data = key.seal(of: json) + json
            guard data.count <= Self.sizeLimit else {
                throw OwnershipSnapshotError(code: .unwritable, reason: "it would be larger than 4 MiB")
            }
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            // Written to another file that is then renamed, without a lock.
            try data.write(to: file, options: .atomic)
        } catch let error as OwnershipSnapshotError {
            throw error
        } catch {
            throw OwnershipSnapshotError(code: .unwritable, reason: FileSystemError(error, at: file).reason)
        }
    }
}

/// Key that an app and its extensions share, such as in a keychain group. It seals the snapshot with HMAC-SHA256.
public struct OwnershipSnapshotKey: Sendable {
    /// Length of a seal, in bytes.
    static let sealLength = 32
    /// Text before the sealed data, so that the key seals nothing else than snapshots of this version.
    private static let purpose = Data("vitrine-ownership-snapshot 1\n".utf8)

    private let key: LedgerSealKey

    /// Creates a key from random bytes.
    ///
    /// - Throws: `LedgerSealKeyError` if there are fewer than 32 bytes.
    public init(_ material: Data) throws(LedgerSealKeyError) { key = try LedgerSealKey(material) }

    func seal(of data: Data) -> Data { key.seal(of: Self.purpose + data) }

    /// Returns `true` if a seal is valid for data. The comparison takes constant time.
    func isSeal(_ seal: Data, of data: Data) -> Bool { key.isSeal(seal, of: Self.purpose + data) }
}

/// Error of a snapshot of ownership.
public typealias OwnershipSnapshotError = CodedError<OwnershipSnapshotErrorCode>

/// Category of ``OwnershipSnapshotError``.
public enum OwnershipSnapshotErrorCode: String, ErrorCode {
    /// The file does not exist, or cannot be read.
    case unreadable
    /// The file was not written with this key, or was changed since then.
    case untrusted
    /// The file cannot be written.
    case unwritable

    public var advice: String? {
        switch self {
        case .unreadable: "Open the app once, so that it writes the snapshot."
        case .untrusted: "Use the key of the app, and open the app once, so that it writes the snapshot again."
        case .unwritable: "Free space, and check the folder that the app shares with its extensions."
        }
    }
}
