import Foundation
import Synchronization
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Source of content that a test controls step by step.
final class ScriptedSource: ContentSource {
    enum Step: Sendable {
        /// Progress: received bytes, and the total number of bytes.
        case progress(Int, of: Int?)
        case fail(ContentError)
        case finish
    }

    private struct State {
        var running: [String: AsyncStream<Step>.Continuation] = [:]
        var early: [String: [Step]] = [:]
        var isWritten: [String] = []
    }

    private let folder: TemporaryFolder
    private let version: String
    private let state = Mutex(State())
    private let starts = AsyncStream<String>.makeStream()
    /// Number of bytes that were already present, for each call.
    let calls = Recorder<(product: String, stored: Int)>()

    init(_ folder: TemporaryFolder, version: String = "1.0") {
        self.folder = folder
        self.version = version
    }

    /// Performs steps of the current download of a product, or of the next one if none is in progress.
    func script(_ steps: Step..., of product: String) {
        state.withLock { state in
            guard let running = state.running[product] else {
                state.early[product, default: []] += steps
                return
            }
            for step in steps { running.yield(step) }
        }
    }

    /// Waits for the next download that starts, and returns its product.
    func started() async -> String? { await starts.stream.first { _ in true } }

    func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent {
        let product = request.productIdentifier
        let part = folder.appending(component: "part")
        let stored = (try? Data(contentsOf: part).count) ?? 0
        calls.record((product, stored))
        let (steps, continuation) = AsyncStream<Step>.makeStream()
        state.withLock { state in
            state.running[product] = continuation
            for step in state.early.removeValue(forKey: product) ?? [] { continuation.yield(step) }
        }
        defer { state.withLock { $0.running[product] = nil } }
        starts.continuation.yield(product)
        for await step in steps {
            switch step {
            case .progress(let received, let total):
                try? Data(repeating: 0, count: received).write(to: part)
                progress(ContentProgress(received: received, total: total))
            case .fail(let error): throw error
            case .finish: return .package(try package(of: product))
            }
        }
        throw ContentError(code: .cancelled, reason: "the test has stopped it")
    }

    private func package(of product: String) throws(ContentError) -> ContentPackage {
        let isNew = state.withLock { state in
            guard !state.isWritten.contains(product) else { return false }
            state.isWritten.append(product)
            return true
        }
        if isNew { _ = try? SamplePackage(in: folder, named: product, product: product, version: version) }
        return try ContentPackage(folder: folder["packages/\(product)"])
    }
}
