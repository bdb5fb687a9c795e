#if canImport(Darwin)
    internal import Foundation
    internal import HTTPTypesFoundation
    internal import VitrineSupport

    // Not built or run on Linux.
    /// Owner and delegate of a background `URLSession`. A process has only one for each session identifier.
    final class BackgroundSessionDelegate: NSObject, URLSessionDownloadDelegate {
        private struct State {
            var session: URLSession?
            var listener: BackgroundListener?
            /// Continuations of callers that wait until the system has delivered all events of the session.
            var waiting: [AsyncStream<Never>.Continuation] = []
            /// `true` if the system delivered all events of the session before a caller waited for them.
            var isOver = false
        }

        private static let delegates = Locked<[String: BackgroundSessionDelegate]>([:])

        private let identifier: String
        private let state = Locked(State())

        private init(identifier: String) { self.identifier = identifier }

        /// Returns the delegate of the session with an identifier. A process must not have two sessions with the same
        /// identifier.
        static func delegate(of identifier: String) -> BackgroundSessionDelegate {
            delegates.withLock { delegates in
                if let known = delegates[identifier] { return known }
                let delegate = BackgroundSessionDelegate(identifier: identifier)
                delegates[identifier] = delegate
                return delegate
            }
        }

        /// Background session, created on first use. The system then delivers the session's events, even without a
        /// listener.
        var session: URLSession {
            state.withLock { state in
                if let session = state.session { return session }
                let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
                configuration.sessionSendsLaunchEvents = true
                // Transfers must not be delayed by the system, because a customer waits for the file.
                configuration.isDiscretionary = false
                configuration.httpCookieStorage = nil
                configuration.httpShouldSetCookies = false
                configuration.urlCache = nil
                configuration.urlCredentialStorage = nil
                configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
                // The session creates a serial queue for the calls of the delegate.
                let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
                state.session = session
                return session
            }
        }

        func listen(_ listener: @escaping BackgroundListener) {
            state.withLock { $0.listener = listener }
            _ = session
        }

        func handleEvents() async {
            let (end, continuation) = AsyncStream<Never>.makeStream()
            let isOver = state.withLock { state in
                defer { state.isOver = false }
                if !state.isOver { state.waiting.append(continuation) }
                return state.isOver
            }
            if isOver { continuation.finish() }
            for await _ in end {}
        }

        /// Waits until the listener has processed all events that occurred before this call.
        func whatHasHappenedIsTold() async {
            await withCheckedContinuation { continuation in
                session.delegateQueue.addOperation { continuation.resume() }
            }
        }

        private func send(_ transfer: BackgroundTransfer, _ event: BackgroundEvent) {
            state.withLock { $0.listener }?(transfer, event)
        }

        // MARK: URLSessionDownloadDelegate

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) {
            let transfer = BackgroundTransfer(
                downloadTask, received: totalBytesWritten, total: totalBytesExpectedToWrite)
            send(transfer, .progress)
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            guard let response = (downloadTask.response as? HTTPURLResponse)?.httpResponse else {
                return send(BackgroundTransfer(downloadTask), .failed(.noStatus, resumption: nil))
            }
            send(BackgroundTransfer(downloadTask), .finished(location, response))
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            // A transfer without an error was already reported with its file.
            guard let error else { return }
            let resumption = (error as NSError).userInfo[NSURLSessionDownloadTaskResumeData] as? Data
            send(BackgroundTransfer(task), .failed(HTTPTransportError(urlError: error), resumption: resumption))
        }

        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
            let waiting = state.withLock { state in
                defer { state.waiting = [] }
                state.isOver = state.waiting.isEmpty
                return state.waiting
            }
            for continuation in waiting { continuation.finish() }
        }
    }

    extension BackgroundTransfer {
        init(_ task: URLSessionTask) {
            self.init(task, received: task.countOfBytesReceived, total: task.countOfBytesExpectedToReceive)
        }

        /// Creates the description of a transfer from its task.
        ///
        /// - Parameter total: Expected number of bytes; unknown if it is not above zero.
        fileprivate init(_ task: URLSessionTask, received: Int64, total: Int64) {
            self.init(
                number: task.taskIdentifier, name: task.taskDescription ?? "", address: task.originalRequest?.url,
                received: Int(received), total: total > 0 ? Int(total) : nil)
        }
    }
#endif
