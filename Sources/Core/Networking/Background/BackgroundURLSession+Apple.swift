#if canImport(Darwin)
    public import Foundation
    public import HTTPTypes

    // Not built or run on Linux.
    /// Session that fetches files with Foundation's background `URLSession`. Transfers continue while the app is
    /// suspended, and after the system has terminated it. If the customer terminates the app, the system stops the
    /// transfers, and the next launch receives their failures.
    ///
    /// An app creates a session with the same identifier at each launch, and forwards the system's call:
    ///
    /// ```swift
    /// func application(_ application: UIApplication, handleEventsForBackgroundURLSession identifier: String) async {
    ///     await BackgroundURLSession.handleEvents(ofSession: identifier)
    /// }
    /// ```
    ///
    /// The system checks the certificates of servers and follows redirects according to its own rules.
    public struct BackgroundURLSession: BackgroundSession {
        /// Networks that the system may use for transfers. A change does not affect transfers that are already running.
        public struct Networks: Sendable, Hashable {
            /// Flag that allows networks that the system considers expensive, such as cellular networks and hotspots.
            public var allowsExpensive: Bool
            /// Flag that allows any network while the customer has turned on Low Data Mode.
            public var allowsConstrained: Bool

            public init(allowsExpensive: Bool = true, allowsConstrained: Bool = true) {
                self.allowsExpensive = allowsExpensive
                self.allowsConstrained = allowsConstrained
            }
        }

        private let identifier: String
        private let networks: Networks

        /// Creates a background session, or another value for the existing session with the same identifier.
        ///
        /// - Parameters:
        ///   - identifier: Name of the session, used by this app only, such as `com.example.voyager.content`. All
        ///     values with the same identifier are the same session.
        ///   - networks: Networks that the session may use.
        public init(identifier: String, networks: Networks = Networks()) {
            self.identifier = identifier
            self.networks = networks
        }

        /// Waits until all events for which the system has launched or woken the app have been delivered.
        ///
        /// Events are delivered once ``BackgroundSession/listen(_:)`` has been called. Pass only identifiers of
        /// sessions that were created with this type.
        public static func handleEvents(ofSession identifier: String) async {
            await BackgroundSessionDelegate.delegate(of: identifier).handleEvents()
        }

        public func listen(_ listener: @escaping BackgroundListener) {
            BackgroundSessionDelegate.delegate(of: identifier).listen(listener)
        }

        public func transfers() async -> [BackgroundTransfer] { await tasks().map { BackgroundTransfer($0) } }

        public func start(
            _ url: URL, fields: HTTPFields, name: String, resumption: Data?
        ) -> BackgroundTransfer {
            var request = URLRequest(url: url)
            for field in fields { request.setValue(field.value, forHTTPHeaderField: field.name.rawName) }
            request.allowsExpensiveNetworkAccess = networks.allowsExpensive
            request.allowsConstrainedNetworkAccess = networks.allowsConstrained
            let session = BackgroundSessionDelegate.delegate(of: identifier).session
            let task =
                if let resumption { session.downloadTask(withResumeData: resumption) } else {
                    session.downloadTask(with: request)
                }
            task.taskDescription = name
            task.resume()
            return BackgroundTransfer(task)
        }

        public func cancel(_ transfer: BackgroundTransfer) async -> Data? {
            guard let task = await tasks().first(where: { $0.taskIdentifier == transfer.number }) else { return nil }
            let resumption = await task.cancelByProducingResumeData()
            await BackgroundSessionDelegate.delegate(of: identifier).whatHasHappenedIsTold()
            return resumption
        }

        private func tasks() async -> [URLSessionDownloadTask] {
            await BackgroundSessionDelegate.delegate(of: identifier).session.allTasks
                .compactMap { $0 as? URLSessionDownloadTask }
        }
    }
#endif
