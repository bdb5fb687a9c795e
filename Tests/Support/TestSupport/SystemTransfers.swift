package import Foundation
package import HTTPTypes
import Synchronization
package import VitrineNetworking
import VitrineSupport

/// Simulation of the system's background transfers: downloads files over real HTTP, and stores the results until an app
/// listens. It continues while no app runs.
package final class SystemTransfers: BackgroundSession {
    /// Background transfer, with the received bytes from which a later one can resume.
    private final class Transfer: Sendable {
        struct State {
            var task: Task<Void, Never>?
            var response: HTTPResponse?
            var bytes: Data
            var total: Int?
            /// `true` if the listener was informed of the end, or is being informed.
            var isOver = false
            /// `true` if the listener has returned from being informed of the end.
            var isReported = false
        }

        let number: Int
        let name: String
        let address: URL
        let state: Mutex<State>

        init(number: Int, name: String, address: URL, bytes: Data) {
            (self.number, self.name, self.address) = (number, name, address)
            state = Mutex(State(bytes: bytes))
        }

        var known: BackgroundTransfer {
            state.withLock {
                BackgroundTransfer(
                    number: number, name: name, address: address, received: $0.bytes.count, total: $0.total)
            }
        }

        var isOver: Bool { state.withLock { $0.isOver } }

        var isReported: Bool { state.withLock { $0.isReported } }
    }

    private enum End {
        case finished(Data, HTTPResponse)
        case failed(HTTPTransportError, resumption: Data?)
    }

    private struct State {
        var listener: BackgroundListener?
        var running: [Int: Transfer] = [:]
        var untold: [(BackgroundTransfer, End)] = []
        var last = 0
    }

    private let folder: TemporaryFolder
    private let state = Mutex(State())
    private let ends = AsyncStream<String>.makeStream()
    private let steps = AsyncStream<BackgroundTransfer>.makeStream()
    /// Names of transfers that the app has canceled.
    package let cancelled = Recorder<String>()

    package init() throws { folder = try TemporaryFolder() }

    // MARK: What an app does

    package func listen(_ listener: @escaping BackgroundListener) {
        let untold = state.withLock { state in
            state.listener = listener
            defer { state.untold = [] }
            return state.untold
        }
        for (transfer, end) in untold { send(listener, transfer, end) }
    }

    /// Lists a transfer that has ended once more, since a task of `URLSession` may be listed after its delegate has
    /// received the file.
    package func transfers() async -> [BackgroundTransfer] {
        state.withLock { state in
            let listed = state.running.values.sorted { $0.number < $1.number }
            for transfer in listed where transfer.isReported { state.running[transfer.number] = nil }
            return listed
        }.map(\.known)
    }

    package func start(
        _ url: URL, fields: HTTPFields, name: String, resumption: Data?
    ) -> BackgroundTransfer {
        let transfer = state.withLock { state in
            state.last += 1
            let transfer = Transfer(number: state.last, name: name, address: url, bytes: resumption ?? Data())
            state.running[transfer.number] = transfer
            return transfer
        }
        var fields = fields
        if let resumption { fields[.range] = "bytes=\(resumption.count)-999999999" }
        let task = Task { [self, fields] in await fetch(transfer, fields) }
        transfer.state.withLock { $0.task = task }
        return transfer.known
    }

    package func cancel(_ transfer: BackgroundTransfer) async -> Data? {
        guard let running = state.withLock({ $0.running.removeValue(forKey: transfer.number) }) else { return nil }
        guard !running.isOver else {
            // The listener has received the end when this function returns.
            await running.state.withLock { $0.task }?.value
            return nil
        }
        cancelled.record(running.name)
        return await end(running)
    }

    // MARK: What a test does

    /// Names of the running transfers, in the order in which they began.
    package var running: [String] {
        state.withLock { $0.running.values.sorted { $0.number < $1.number } }.filter { !$0.isOver }.map(\.name)
    }

    /// Begins a transfer as if an earlier launch of the app had begun it.
    package func begin(_ url: URL, name: String) { _ = start(url, fields: [:], name: name, resumption: nil) }

    /// Simulates the end of the app: no listener remains.
    package func appEnds() { state.withLock { $0.listener = nil } }

    /// Waits until a transfer has received a number of bytes.
    package func received(_ count: Int, of name: String) async {
        for await step in steps.stream where step.name == name && step.received >= count { return }
    }

    /// Waits for the next end of a transfer that no earlier call has waited for.
    package func ended() async -> String? { await ends.stream.first { _ in true } }

    /// Ends all running transfers, as the system does when the customer force-quits the app.
    package func endAll() async {
        let running = state.withLock { state in
            defer { state.running = [:] }
            return state.running.values.sorted { $0.number < $1.number }
        }
        for transfer in running where !transfer.isOver { _ = await end(transfer) }
    }

    // MARK: Fetching

    private func end(_ transfer: Transfer) async -> Data? {
        let task = transfer.state.withLock { $0.task }
        task?.cancel()
        await task?.value
        let bytes = transfer.state.withLock { $0.bytes }
        let resumption = bytes.isEmpty ? nil : bytes
        send(
            transfer.known,
            .failed(HTTPTransportError(code: .cancelled, reason: "cancelled"), resumption: resumption))
        return resumption
    }

    private func fetch(_ transfer: Transfer, _ fields: HTTPFields) async {
        let end: End
        do throws(HTTPFetchError) {
            let (response, _) = try await HTTPFetcher(transport: DefaultTransport.patient).receive(
                transfer.address, fields: fields, limits: HTTPLimits(size: 1 << 30)
            ) { response in
                transfer.state.withLock { state in
                    if response.status != .partialContent { state.bytes = Data() }
                    state.total = response.headerFields[.contentLength].flatMap { Int($0) }
                        .map { $0 + state.bytes.count }
                }
            } part: { [self] part in
                transfer.state.withLock { $0.bytes.append(part) }
                let known = transfer.known
                state.withLock { $0.listener }?(known, .progress)
                steps.continuation.yield(known)
            }
            end = .finished(transfer.state.withLock { $0.bytes }, response)
        } catch {
            let bytes = transfer.state.withLock { $0.bytes }
            end = .failed(
                HTTPTransportError(code: .connection, reason: error.reason), resumption: bytes.isEmpty ? nil : bytes)
        }
        // A transfer that is not listed any more was canceled, and its end is reported there.
        let isListed = state.withLock { state in
            guard state.running[transfer.number] != nil else { return false }
            transfer.state.withLock { $0.isOver = true }
            return true
        }
        guard isListed else { return }
        send(transfer.known, end)
        transfer.state.withLock { $0.isReported = true }
        ends.continuation.yield(transfer.name)
    }

    private func send(_ transfer: BackgroundTransfer, _ end: End) {
        let listener = state.withLock { state in
            if state.listener == nil { state.untold.append((transfer, end)) }
            return state.listener
        }
        if let listener { send(listener, transfer, end) }
    }

    /// Passes the result to the listener. The downloaded file is removed when the listener returns.
    private func send(_ listener: BackgroundListener, _ transfer: BackgroundTransfer, _ end: End) {
        switch end {
        case .failed(let error, let resumption): listener(transfer, .failed(error, resumption: resumption))
        case .finished(let bytes, let response):
            let file = folder[UUID().uuidString]
            do {
                try bytes.write(to: file)
                defer { try? FileManager.default.removeItem(at: file) }
                listener(transfer, .finished(file, response))
            } catch {
                listener(transfer, .failed(HTTPTransportError(code: .connection, reason: "\(error)"), resumption: nil))
            }
        }
    }
}
