#if canImport(Darwin)
    public import Foundation
    public import HTTPTypes

    // Not built or run on Linux.
    /// Fetches files with Foundation's background `URLSession`, also while the app is suspended, and after the system has
    /// ended it. Where the customer has ended it, the system stops, and the next launch is told so.
    ///
    /// An app makes one at each launch, under the same identifier, and hands the system's call on:
    ///
    /// ```swift
    /// func application(_ application: UIApplication, handleEventsForBackgroundURLSession identifier: String) async {
    ///     await BackgroundURLSession.handleEvents(ofSession: identifier)
    /// }
    /// ```
    ///
    /// Servers' certificates are checked by the system, which follows redirects by its own rules.
    public struct BackgroundURLSession: BackgroundSession {
        /// What the system may use for the transfers. It counts for those that are begun with it.
        public struct Networks: Sendable, Hashable {
            /// Networks that the system calls expensive, as mobile ones and personal hotspots.
            public var allowsExpensive: Bool
            /// Any network while the customer has turned Low Data Mode on.
            public var allowsConstrained: Bool

            public init(allowsExpensive: Bool = true, allowsConstrained: Bool = true) {
                self.allowsExpensive = allowsExpensive
                self.allowsConstrained = allowsConstrained
            }
        }

        private let identifier: String
        private let networks: Networks

        /// - Parameter identifier: The session's name, of this app alone, as `com.example.voyager.content`. All values
        ///   with the same one are the same session.
        public init(identifier: String, networks: Networks = Networks()) {
            self.identifier = identifier
            self.networks = networks
        }

        /// Waits until a listener has been told all that the system has launched or woken the app for.
        ///
        /// It is told once a ``BackgroundSession/listen(_:)`` has come. Other sessions than those that were made here
        /// must not be waited for.
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
