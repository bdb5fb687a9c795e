#if canImport(Network)
    internal import Network

    // Not built or run on Linux.
    extension ManagerOptions {
        /// Tells when the device has a network again that can be used: for ``networkChanges``.
        public static let deviceNetworkChanges: @Sendable () -> AsyncStream<Void> = {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let watch = Task {
                    // What is there at first is not back.
                    var wasUsable = true
                    for await path in NWPathMonitor() {
                        let isUsable = path.status == .satisfied
                        if isUsable, !wasUsable { continuation.yield() }
                        wasUsable = isUsable
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in watch.cancel() }
            }
        }
    }
#endif
