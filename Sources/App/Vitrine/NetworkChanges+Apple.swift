#if canImport(Network)
    internal import Dispatch
    internal import Network

    // Not built or run on Linux.
    extension ManagerOptions {
        /// Function that returns a stream with an element when the device has a usable network again, and when its
        /// network is no longer expensive or constrained, as defined by `NWPath`. It is meant for
        /// ``Loading/networkChanges``.
        public static let deviceNetworkChanges: @Sendable () -> AsyncStream<Void> = {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let watch = Task {
                    // The initial path is not a change.
                    var last: NWPath?
                    for await path in NWPath.changes() {
                        if let last, path.allowsMore(than: last) { continuation.yield() }
                        last = path
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in watch.cancel() }
            }
        }

        /// Function that returns `true` while the device's network is expensive or constrained, as defined by `NWPath`:
        /// for `DownloadPolicy.wifiOnly(mostAtOnce:isExpensive:)`.
        public static let deviceNetworkIsExpensive: @Sendable () async -> Bool = {
            for await path in NWPath.changes() { return path.isExpensive || path.isConstrained }
            return false
        }
    }

    extension NWPath {
        /// Returns a stream of the device's paths, beginning with the present one. `NWPathMonitor` itself is a sequence
        /// from iOS 17 on.
        fileprivate static func changes() -> AsyncStream<NWPath> {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let monitor = NWPathMonitor()
                monitor.pathUpdateHandler = { continuation.yield($0) }
                continuation.onTermination = { _ in monitor.cancel() }
                monitor.start(queue: DispatchQueue(label: "vitrine.network"))
            }
        }

        /// Returns `true` if work that had to wait for another network may be allowed now.
        fileprivate func allowsMore(than last: NWPath) -> Bool {
            guard status == .satisfied else { return false }
            return last.status != .satisfied || last.isExpensive && !isExpensive || last.isConstrained && !isConstrained
        }
    }
#endif
