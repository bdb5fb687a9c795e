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
    /// snapshot again.
    ///
    /// - Parameter isPartial: `true` to write what is known to be owned if the ownership of other products is unknown. By
    ///   default an earlier snapshot then stays.
    func writeSnapshot(isPartial: Bool = false) {
        let entitlements = state.snapshot.entitlements
        guard let file = options.snapshot, isPartial || entitlements.unknownReason == nil else { return }
        do {
            try OwnershipSnapshot(of: entitlements).write(to: file.url, sealedWith: file.key)
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
