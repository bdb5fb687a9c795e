#if canImport(Network)
    internal import Network

    // Not built or run on Linux.
    extension ManagerOptions {
        /// Tells when the device has a network again that can be used, and when its network is not expensive or constrained
        /// any more, as `NWPath` calls it: for ``networkChanges``.
        public static let deviceNetworkChanges: @Sendable () -> AsyncStream<Void> = {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let watch = Task {
                    // What is there at first is no change.
                    var last: NWPath?
                    for await path in NWPathMonitor() {
                        if let last, path.allowsMore(than: last) { continuation.yield() }
                        last = path
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in watch.cancel() }
            }
        }
    }

    extension NWPath {
        /// Something that had to wait for another network may not have to any more.
        fileprivate func allowsMore(than last: NWPath) -> Bool {
            guard status == .satisfied else { return false }
            return last.status != .satisfied || last.isExpensive && !isExpensive || last.isConstrained && !isConstrained
        }
    }
#endif
