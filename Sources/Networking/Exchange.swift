internal import Foundation
internal import HTTPTypesFoundation
internal import Synchronization

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request that is under way, until the first of its ends: the whole reply, an error, the timeout, a cancellation.
final class Exchange: Sendable {
    let task: URLSessionDataTask
    private let sizeLimit: Int
    private let state = Mutex(State())

    private struct State {
        var response: HTTPURLResponse?
        var body = Data()
        var result: Result<HTTPReply, HTTPTransportError>?
        var continuation: CheckedContinuation<Result<HTTPReply, HTTPTransportError>, Never>?
    }

    init(task: URLSessionDataTask, sizeLimit: Int) {
        self.task = task
        self.sizeLimit = sizeLimit
    }

    /// Sends the request, and waits for the end.
    func outcome() async -> Result<HTTPReply, HTTPTransportError> {
        task.resume()
        return await withCheckedContinuation { continuation in
            let result = state.withLock { state in
                if state.result == nil { state.continuation = continuation }
                return state.result
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    func giveUp(_ code: HTTPTransportError.Code, _ reason: String) {
        end(.failure(HTTPTransportError(code: code, reason: reason)))
        task.cancel()
    }

    func receive(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else {
            return giveUp(.connection, "the reply is not one of HTTP")
        }
        guard response.expectedContentLength <= Int64(sizeLimit) else { return giveUpTooLarge() }
        state.withLock { $0.response = response }
    }

    func receive(_ data: Data) {
        let fits = state.withLock { state in
            guard state.result == nil else { return true }
            guard data.count <= sizeLimit - state.body.count else { return false }
            state.body.append(data)
            return true
        }
        if !fits { giveUpTooLarge() }
    }

    func complete(_ error: (any Error)?) {
        if let error { return end(.failure(HTTPTransportError(error))) }
        let (response, body) = state.withLock { ($0.response, $0.body) }
        guard let response = response?.httpResponse else {
            return giveUp(.connection, "the reply has no status")
        }
        end(.success(HTTPReply(response: response, body: body)))
    }

    private func giveUpTooLarge() { giveUp(.tooLarge, "the reply has more than \(sizeLimit) bytes") }

    private func end(_ result: Result<HTTPReply, HTTPTransportError>) {
        let continuation = state.withLock {
            state -> CheckedContinuation<Result<HTTPReply, HTTPTransportError>, Never>? in
            guard state.result == nil else { return nil }
            state.result = result
            state.body = Data()
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(returning: result)
    }
}

extension HTTPTransportError {
    fileprivate init(_ error: any Error) {
        let code: Code =
            switch (error as? URLError)?.code {
            case .timedOut: .timeout
            case .cancelled: .cancelled
            default: .connection
            }
        self.init(code: code, reason: error.localizedDescription)
    }
}

/// Tells each exchange of a session what becomes of it.
final class RunningExchanges: NSObject, URLSessionDataDelegate {
    private let exchanges = Mutex<[Int: Exchange]>([:])

    func add(_ exchange: Exchange) {
        exchanges.withLock { $0[exchange.task.taskIdentifier] = exchange }
    }

    fileprivate func exchange(of task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.complete(error)
    }
}

#if canImport(FoundationNetworking)
    extension RunningExchanges {
        /// Takes a request for credentials for what it is here: the end of a reply with the status 401. Without credentials
        /// this Foundation would not end the task by itself.
        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            exchange(of: task)?.complete(nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }
#endif
