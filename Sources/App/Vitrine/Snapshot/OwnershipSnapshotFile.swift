public import Foundation
internal import VitrineEntitlements
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
}

extension CatalogManager {
    /// Writes the snapshot for extensions, if the app wants one and the event may have changed it.
    func writeSnapshot(after event: CatalogEvent) {
        switch event {
        // The snapshot of the former account must not stay, even if it is unknown what the present one owns besides.
        case .entitlements(.accountChanged) where separateLedger != nil: writeSnapshot(isPartial: true)
        case .entitlements, .ledger(.lossChanged), .restore(.found), .loading(.statusChanged): writeSnapshot()
        default: break
        }
    }

    /// Writes the snapshot for extensions, if the app wants one. An event reports a failure; the next change writes the
    /// snapshot again. Of products whose ownership is unknown, the snapshot says what the earlier one has said.
    ///
    /// - Parameter isPartial: `true` to write only what is known to be owned. By default an earlier snapshot stays as it
    ///   is while the purchases or the catalog are not read.
    func writeSnapshot(isPartial: Bool = false) {
        let entitlements = state.snapshot.entitlements
        guard let file = options.snapshot, isPartial || entitlements.isReadForSnapshot else { return }
        var snapshot = OwnershipSnapshot(of: entitlements)
        if !isPartial, entitlements.unknownReason != nil, let earlier = file.present {
            snapshot.retain(earlier, unknownTo: entitlements)
        }
        do {
            try snapshot.write(to: file.url, sealedWith: file.key)
        } catch {
            state.send(
                .ledger(
                    .failed(
                        LedgerError(
                            code: .unavailable, reason: "the snapshot for extensions cannot be written: \(error.reason)"
                        ))))
        }
    }
}

extension OwnershipSnapshotFile {
    /// Snapshot in the file; `nil` if there is none, or it was written with another key or by another version.
    fileprivate var present: OwnershipSnapshot? {
        do {
            return try OwnershipSnapshot(contentsOf: url, key: key)
        } catch {
            // The snapshot that is written in its place says only what is known.
            return nil
        }
    }
}

extension EntitlementSnapshot {
    /// `true` if the purchases and the catalog are read, so that what is unknown concerns single products: an undecided
    /// rule, an unconfirmed renewal, or what an owned bundle contains that a catalog with errors lacks.
    fileprivate var isReadForSnapshot: Bool {
        switch generalUnknownReason {
        case nil, .incompleteCatalog: true
        default: false
        }
    }
}
