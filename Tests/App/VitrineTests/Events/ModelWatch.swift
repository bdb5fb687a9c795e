import Observation
import VitrineTestSupport

@testable import Vitrine

extension CatalogModel {
    /// The model's parts, by the names under which ``firstChanges()`` records them.
    private static let parts: [(name: String, read: @MainActor (CatalogModel) -> Void)] = [
        ("status", { _ = $0.status }), ("listing", { _ = $0.listing }), ("downloads", { _ = $0.downloads }),
        ("walletBalances", { _ = $0.walletBalances }), ("lastError", { _ = $0.lastError }),
    ]

    /// Records from now on the name of each part that changes, the first time that it does.
    func firstChanges() -> Recorder<String> {
        let changes = Recorder<String>()
        for (name, read) in Self.parts {
            withObservationTracking {
                read(self)
            } onChange: {
                changes.record(name)
            }
        }
        return changes
    }
}

/// Everything that went wrong by what a model shows, in order.
@MainActor
final class ModelErrors {
    private let model: CatalogModel
    private let changes = AsyncStream<Void>.makeStream()
    /// What has made room for something else, since ``before(_:)`` was answered last.
    private var earlier: [String] = []
    private var awaited: String?

    init(_ model: CatalogModel) {
        self.model = model
        watch()
    }

    private func watch() {
        withObservationTracking {
            _ = model.lastError
        } onChange: { [weak self] in
            // It is told before it changes, where the model is changed.
            MainActor.assumeIsolated {
                guard let self else { return }
                let error = self.model.lastError.map { "\($0)" }
                if let error, error != self.awaited { self.earlier.append(error) }
                self.changes.continuation.yield()
                self.watch()
            }
        }
    }

    /// Waits until the model shows an error.
    ///
    /// - Returns: Those that came before it, after the one that was waited for last.
    func before(_ reason: String) async -> [String] {
        for await _ in changes.stream where model.lastError.map({ "\($0)" }) == reason { break }
        defer { (earlier, awaited) = ([], reason) }
        return earlier
    }
}
