internal import FileSystem
package import Foundation
internal import HTTPTypes
package import Networking

/// Has archives fetched by a session that goes on while the app is suspended or gone, and takes what has come.
///
/// What comes is only bytes: a file lies in the folder of its product's download until somebody asks for just that file,
/// and only then is it looked at, as bytes are that came in the foreground.
package final class BackgroundTransfers: Sendable {
    /// What somebody who waits for a transfer is told.
    enum Step: Sendable {
        case progress(BackgroundTransfer)
        case arrived(BackgroundTransfer)
        case failed(BackgroundTransfer, ContentError)
        /// It was ended because it is not waited for any more.
        case stopped
        /// So long after the step with a number nothing has come.
        case silence(after: Int)
    }

    private struct State {
        var waits: [TransferName: AsyncStream<Step>.Continuation] = [:]
        /// How transfers have failed that nobody was waiting for.
        var failures: [TransferName: ContentError] = [:]
        /// What is not waited for because nothing has come for a while.
        var silent: Set<TransferName> = []
        /// The numbers of transfers that were ended here, and of which that is not known yet.
        var ended: Set<Int> = []
        var isLeaving = false
    }

    /// The products of which something has come after all, while nobody waited because nothing had for a while.
    package let wakes: AsyncStream<String>
    let session: any BackgroundSession
    let sleep: @Sendable (Duration) async throws -> Void
    private let directory: ContentDirectory
    private let now: @Sendable () -> Date
    private let waking: AsyncStream<String>.Continuation
    private let state = Locked(State())

    /// Listens to the session from now on, also when nobody keeps this any more: what it hands over would be lost.
    ///
    /// - Parameter now: What dates of servers are counted from.
    package init(
        session: any BackgroundSession, directory: ContentDirectory, now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.session = session
        self.directory = directory
        self.now = now
        self.sleep = sleep
        (wakes, waking) = AsyncStream<String>.makeStream()
        session.listen { self.take($0, $1) }
    }

    // MARK: What others decide

    /// The process ends: who is not waited for any more goes on.
    package func leave() { state.withLock { $0.isLeaving = true } }

    /// Ends the transfers that nobody wants any more: those of other products, and what none of ours is called. What is
    /// waited for goes on.
    package func end(exceptFor products: Set<String>) async {
        for transfer in await session.transfers() {
            if let name = TransferName(transfer.name),
                products.contains(name.productIdentifier) || state.withLock({ $0.waits[name] != nil })
            {
                continue
            }
            // Nothing goes on with what has come of it.
            _ = await end(transfer)
        }
    }

    /// Ends what is fetched for a product, and keeps what it can go on with.
    package func withdraw(_ productIdentifier: String) async {
        for transfer in await session.transfers()
        where TransferName(transfer.name)?.productIdentifier == productIdentifier {
            keep(await end(transfer), of: transfer)
        }
    }

    // MARK: What a fetch asks

    func folder(for name: TransferName) throws(ContentError) -> TransferFolder {
        try TransferFolder(name, in: directory)
    }

    /// Whether a file has come, or is coming.
    func isUnderWay(_ name: TransferName) async throws(ContentError) -> Bool {
        if try folder(for: name).hasArrived { return true }
        return await session.transfers().contains { TransferName($0.name) == name }
    }

    var isLeaving: Bool { state.withLock { $0.isLeaving } }

    /// What becomes of a transfer from now on. One at a time waits for it.
    func wait(for name: TransferName) -> (AsyncStream<Step>, AsyncStream<Step>.Continuation) {
        let (steps, continuation) = AsyncStream<Step>.makeStream()
        state.withLock { state in
            state.waits[name] = continuation
            state.silent.remove(name)
        }
        return (steps, continuation)
    }

    /// - Parameter isSilent: Nothing has come for a while: ``wakes`` tells when something does.
    func leave(_ name: TransferName, isSilent: Bool) {
        state.withLock { state in
            state.waits[name] = nil
            if isSilent { state.silent.insert(name) }
        }
    }

    /// How a transfer has failed while nobody was waiting for it. It is told once.
    func takeFailure(of name: TransferName) -> ContentError? {
        state.withLock { $0.failures.removeValue(forKey: name) }
    }

    /// - Returns: What the transfer can go on with.
    func end(_ transfer: BackgroundTransfer) async -> Data? {
        _ = state.withLock { $0.ended.insert(transfer.number) }
        return await session.cancel(transfer)
    }

    /// What cannot be kept is fetched again.
    func keep(_ resumption: Data?, of transfer: BackgroundTransfer) {
        guard let resumption, let name = TransferName(transfer.name), let address = transfer.address else { return }
        try? folder(for: name).keep(resumption, from: address)
    }

    // MARK: What the session tells

    private func take(_ transfer: BackgroundTransfer, _ event: BackgroundEvent) {
        guard let name = TransferName(transfer.name) else { return }
        switch event {
        case .progress: tell(.progress(transfer), of: name)
        case .finished(let file, let response):
            do throws(ContentError) {
                guard response.status == .ok || response.status == .partialContent else {
                    throw ContentError(response, now: now())
                }
                try folder(for: name).take(file)
                tell(.arrived(transfer), of: name)
            } catch {
                tell(.failed(transfer, error), of: name)
            }
        case .failed(let error, let resumption):
            guard state.withLock({ $0.ended.remove(transfer.number) }) == nil else { return }
            keep(resumption, of: transfer)
            tell(.failed(transfer, ContentError(ofTransfer: error)), of: name)
        }
    }

    private func tell(_ step: Step, of name: TransferName) {
        state.withLock { state in
            if let wait = state.waits[name] {
                _ = wait.yield(step)
                return
            }
            switch step {
            case .failed(_, let error): state.failures[name] = error
            case .arrived: state.failures[name] = nil
            case .progress, .stopped, .silence: break
            }
            if state.silent.remove(name) != nil { waking.yield(name.productIdentifier) }
        }
    }
}

extension ContentError {
    /// Why a transfer has ended that nobody here has ended.
    fileprivate init(ofTransfer error: HTTPTransportError) {
        guard error.code == .cancelled else {
            self.init(HTTPFetchError(error))
            return
        }
        self.init(code: .network, reason: "the system has ended the transfer")
    }
}
