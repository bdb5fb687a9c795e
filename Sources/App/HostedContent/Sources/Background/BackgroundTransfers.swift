package import Foundation
internal import HTTPTypes
package import VitrineNetworking
internal import VitrineSupport

/// Background session for archives, whose transfers continue while the app is suspended or terminated, and whose
/// received files are stored.
///
/// A received file is not trusted: it stays in the folder of its product's download until the product's content is
/// requested, and is then checked like bytes received in the foreground.
package final class BackgroundTransfers: Sendable {
    /// Message to the fetch that waits for a background transfer.
    enum Step: Sendable {
        case progress(BackgroundTransfer)
        case arrived(BackgroundTransfer)
        case failed(BackgroundTransfer, ContentError)
        /// The transfer was canceled, because no fetch waits for it any more.
        case stopped
        /// No bytes were received for too long after the progress message with this number.
        case silence(after: Int)
    }

    private struct State {
        var waits: [TransferName: AsyncStream<Step>.Continuation] = [:]
        /// Errors of transfers that failed while no fetch was waiting for them.
        var failures: [TransferName: ContentError] = [:]
        /// Transfers that no fetch waits for any more, because they received no bytes for a while.
        var silent: Set<TransferName> = []
        /// Numbers of transfers that have ended, or that this object has canceled. The session may list them for a
        /// while.
        var ended: Set<Int> = []
        var isLeaving = false
    }

    /// Identifiers of products, each sent when the background transfer of the product's content receives bytes again
    /// after a pause, while no fetch waits for it.
    package let wakes: AsyncStream<String>
    let session: any BackgroundSession
    let sleep: @Sendable (Duration) async throws -> Void
    private let directory: ContentDirectory
    private let now: @Sendable () -> Date
    private let waking: AsyncStream<String>.Continuation
    private let state = Locked(State())

    /// Creates the object, which receives the events of the background session from now on. Otherwise files that the
    /// session delivers would be lost.
    ///
    /// - Parameter now: Clock for the interpretation of dates in a server's replies.
    package init(
        session: any BackgroundSession, directory: ContentDirectory, now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.session = session
        self.directory = directory
        self.now = now
        self.sleep = sleep
        (wakes, waking) = AsyncStream<String>.makeStream()
        session.listen { self.handle($0, $1) }
    }

    // MARK: Requests of the app

    /// Ends the waiting of all fetches for background transfers, because the process is about to end. The system
    /// continues the transfers.
    package func leave() { state.withLock { $0.isLeaving = true } }

    /// Cancels the background transfers of all products except the given ones, and the transfers whose names cannot be
    /// parsed. A transfer that a fetch waits for is not canceled.
    package func end(exceptFor products: Set<String>) async {
        for transfer in await running() {
            if let name = TransferName(transfer.name),
                products.contains(name.productIdentifier) || state.withLock({ $0.waits[name] != nil })
            {
                continue
            }
            // The data to resume the transfer is discarded, because the content is not needed any more.
            _ = await end(transfer)
        }
    }

    /// Cancels the background transfers of a product, and stores the data to resume them.
    package func withdraw(_ productIdentifier: String) async {
        for transfer in await running()
        where TransferName(transfer.name)?.productIdentifier == productIdentifier {
            storeResumption(await end(transfer), of: transfer)
        }
    }

    // MARK: Requests of a fetch

    /// Cancels the background transfers of a product, unless one of them has received bytes.
    ///
    /// - Returns: `false` if one has received bytes.
    func withdrawWithoutBytes(_ productIdentifier: String) async -> Bool {
        let own = await running().filter { TransferName($0.name)?.productIdentifier == productIdentifier }
        guard own.allSatisfy({ $0.received == 0 }) else { return false }
        await withdraw(productIdentifier)
        return true
    }

    func folder(for name: TransferName) throws(ContentError) -> TransferFolder {
        try TransferFolder(name, in: directory)
    }

    /// Returns `true` if a background transfer has received its file, or is receiving it.
    func isUnderWay(_ name: TransferName) async throws(ContentError) -> Bool {
        if try folder(for: name).hasArrived { return true }
        return await running().contains { TransferName($0.name) == name }
    }

    /// Returns the transfers whose end this object has not heard of, and that it has not canceled.
    func running() async -> [BackgroundTransfer] {
        // Asked for before the state is read: what ends in between is left out.
        let listed = await session.transfers()
        return state.withLock { state in listed.filter { !state.ended.contains($0.number) } }
    }

    var isLeaving: Bool { state.withLock { $0.isLeaving } }

    /// Returns a stream of messages about a transfer, and its continuation. Only one fetch at a time waits for a
    /// transfer.
    func wait(for name: TransferName) -> (AsyncStream<Step>, AsyncStream<Step>.Continuation) {
        let (steps, continuation) = AsyncStream<Step>.makeStream()
        state.withLock { state in
            state.waits[name] = continuation
            state.silent.remove(name)
        }
        return (steps, continuation)
    }

    /// Ends the waiting of a fetch for a transfer.
    ///
    /// - Parameter isSilent: `true` if the fetch no longer waits because no bytes were received for a while: when the
    ///   transfer receives bytes again, ``wakes`` reports it.
    func leave(_ name: TransferName, isSilent: Bool) {
        state.withLock { state in
            state.waits[name] = nil
            if isSilent { state.silent.insert(name) }
        }
    }

    /// Returns, and forgets, the error of a transfer that failed while no fetch was waiting for it.
    func consumeFailure(of name: TransferName) -> ContentError? {
        state.withLock { $0.failures.removeValue(forKey: name) }
    }

    /// Cancels a background transfer.
    ///
    /// - Returns: Data to resume the transfer; `nil` if there is none.
    func end(_ transfer: BackgroundTransfer) async -> Data? {
        _ = state.withLock { $0.ended.insert(transfer.number) }
        return await session.cancel(transfer)
    }

    /// Stores the data to resume a canceled transfer. Without the data, all bytes are fetched again.
    func storeResumption(_ resumption: Data?, of transfer: BackgroundTransfer) {
        guard let resumption, let name = TransferName(transfer.name), let address = transfer.address else { return }
        try? folder(for: name).storeResumption(resumption, from: address)
    }

    // MARK: Events of the session

    private func handle(_ transfer: BackgroundTransfer, _ event: BackgroundEvent) {
        guard let name = TransferName(transfer.name) else { return }
        switch event {
        case .progress: send(.progress(transfer), of: name)
        case .finished(let file, let response):
            let step: Step
            do throws(ContentError) {
                guard response.status == .ok || response.status == .partialContent else {
                    throw ContentError(response, now: now())
                }
                try folder(for: name).adopt(file)
                step = .arrived(transfer)
            } catch {
                step = .failed(transfer, error)
            }
            // The transfer is listed until its file is in place: otherwise a fetch that begins now would see neither,
            // and start a second transfer.
            _ = state.withLock { $0.ended.insert(transfer.number) }
            send(step, of: name)
        case .failed(let error, let resumption):
            guard state.withLock({ $0.ended.insert(transfer.number).inserted }) else { return }
            storeResumption(resumption, of: transfer)
            send(.failed(transfer, ContentError(ofTransfer: error)), of: name)
        }
    }

    private func send(_ step: Step, of name: TransferName) {
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
    /// Creates the error of a background transfer that has failed, or that the operating system has canceled.
    fileprivate init(ofTransfer error: HTTPTransportError) {
        guard error.code == .cancelled else {
            self.init(HTTPFetchError(error))
            return
        }
        self.init(code: .network, reason: "the operating system has ended the background transfer")
    }
}
