import Observation
import VitrineTestSupport

@testable import Vitrine

extension CatalogModel {
    /// Properties of the model, with the names that ``firstChanges()`` records.
    private static let parts: [(name: String, read: @MainActor (CatalogModel) -> Void)] = [
        ("status", { _ = $0.status }), ("listing", { _ = $0.listing }), ("downloads", { _ = $0.downloads }),
        ("walletBalances", { _ = $0.walletBalances }), ("lastError", { _ = $0.lastError }),
    ]

    /// Records the name of each property of the model at its first change from now on.
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

/// Errors that a model shows, in order.
@MainActor
final class ModelErrors {
    private let model: CatalogModel
    private let changes = AsyncStream<Void>.makeStream()
    /// Errors that later ones have replaced since the last call of ``before(_:)``.
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
    /// - Returns: The errors that the model showed between the error of the last call and this one.
    func before(_ reason: String) async -> [String] {
        for await _ in changes.stream where model.lastError.map({ "\($0)" }) == reason { break }
        defer { (earlier, awaited) = ([], reason) }
        return earlier
    }
}
