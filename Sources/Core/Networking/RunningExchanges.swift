#if canImport(Darwin)
    internal import Foundation
    internal import HTTPTypesFoundation
    internal import VitrineSupport

    // Not built or run on Linux.
    /// Delegate of a `URLSession` that forwards the session's events to the exchanges of its tasks.
    final class RunningExchanges: NSObject, URLSessionDataDelegate {
        private let exchanges = Locked<[Int: Exchange]>([:])

        func add(_ exchange: Exchange, _ task: URLSessionTask) {
            exchanges.withLock { $0[task.taskIdentifier] = exchange }
        }

        private func exchange(of task: URLSessionTask) -> Exchange? {
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

    extension Exchange {
        fileprivate func receive(_ response: URLResponse) {
            guard let response = (response as? HTTPURLResponse)?.httpResponse else {
                return giveUp(.connection, "the reply is not valid HTTP")
            }
            receive(response)
        }

        fileprivate func complete(_ error: (any Error)?) {
            guard let error else { return complete() }
            let failure = HTTPTransportError(urlError: error)
            giveUp(failure.code, failure.reason)
        }
    }
#endif
