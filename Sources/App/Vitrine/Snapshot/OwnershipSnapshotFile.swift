public import Foundation
internal import VitrineEntitlements
internal import VitrineFileSystem
internal import VitrineSupport

/// File in which a manager keeps an ``OwnershipSnapshot`` for the extensions of the app.
public struct OwnershipSnapshotFile: Sendable {
    /// File in a container that the app shares with its extensions.
    public let url: URL
    public let key: OwnershipSnapshotKey

    public init(url: URL, key: OwnershipSnapshotKey) {
        self.url = url
        self.key = key
    }

    /// Writes what a customer owns. An earlier snapshot stays if the ownership is unknown now.
    ///
    /// - Throws: Error of Foundation if the file cannot be written.
    func write(_ entitlements: EntitlementSnapshot) throws {
        guard entitlements.unknownReason == nil else { return }
        let data = try OwnershipSnapshot(of: entitlements).data(sealedWith: key)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        // Written to another file that is then renamed, without a lock.
        try data.write(to: url, options: .atomic)
    }
}

extension CatalogManager {
    /// Writes the snapshot for extensions, if the app wants one and the event may have changed it.
    func writeSnapshot(after event: CatalogEvent) {
        switch event {
        case .entitlements, .ledger(.lossChanged), .ledger(.rebuilt), .loading(.statusChanged): writeSnapshot()
        default: break
        }
    }

    /// Writes the snapshot for extensions, if the app wants one. An event reports a failure; the next change writes the
    /// snapshot again.
    func writeSnapshot() {
        guard let file = options.snapshot else { return }
        do {
            try file.write(state.snapshot.entitlements)
        } catch {
            let error = FileSystemError(error, at: file.url)
            state.send(
                .ledger(
                    .failed(
                        LedgerError(
                            code: .unavailable, reason: "the snapshot for extensions cannot be written: \(error.reason)"
                        ))))
        }
    }
}
