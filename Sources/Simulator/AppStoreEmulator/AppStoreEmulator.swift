public import Foundation
internal import Hummingbird
public import Logging
public import ServiceLifecycle
internal import VitrineHTTPServing
public import VitrineStoreSimulator
internal import VitrineSupport

/// Server that emulates Apple's servers for a simulated store: the App Store Server API, App Store Server
/// Notifications, and the revocation status of the store's certificates (OCSP).
///
/// The server uses the store's own state, which other processes may change at the same time. Several servers can run in
/// one process, each with a store of its own.
public struct AppStoreEmulator: Service {
    private let store: SimulatedStore
    private let options: AppStoreEmulatorOptions
    private let logger: Logger
    private let onReady: @Sendable (URL) async -> Void

    /// Creates a server, which ``run()`` starts.
    ///
    /// - Parameters:
    ///   - store: The store, as any of its devices.
    ///   - options: Options of the server.
    ///   - logger: Logger of failures and deliveries. It receives no tokens and no transaction numbers.
    ///   - onReady: Function that is called with the server's address once the server accepts connections.
    public init(
        store: SimulatedStore, options: AppStoreEmulatorOptions = AppStoreEmulatorOptions(),
        logger: Logger = Logger(label: "vitrine.store-server"),
        onReady: @escaping @Sendable (URL) async -> Void = { _ in }
    ) {
        (self.store, self.options, self.logger, self.onReady) = (store, options, logger, onReady)
    }

    /// Serves until the task is cancelled, or the service group of the task shuts down gracefully.
    ///
    /// - Throws: An error if the server cannot listen at its address; `SimulatedStoreError` if the store's state cannot be
    ///   used; `StoreRecordingError` if the store cannot be recorded.
    public func run() async throws {
        let (store, onReady, logger) = (store, onReady, logger)
        let recording = try await recordingService()
        let (delivery, hasBegun) = AsyncStream<Never>.makeStream()
        let application = Application(
            EmulatorResponder(store: store, options: options, logger: logger), host: options.host, port: options.port,
            services: recording + [
                NotificationDelivery(
                    store: store, limit: options.deliveryTime, sleep: options.sleep, logger: logger
                ) { hasBegun.finish() }
            ], logger: logger
        ) { url in
            do throws(SimulatedStoreError) {
                try await store.nameResponder(url.appending(path: StatusOfCertificates.path))
            } catch {
                logger.error("the certificates of the store cannot name their responder: \(error.reason)")
            }
            // From then on the clock of the store stops for deliveries.
            for await _ in delivery {}
            await onReady(url)
        }
        try await application.run()
    }

    /// Returns the service that records the store; an empty array if the store is not recorded.
    private func recordingService() async throws(StoreRecordingError) -> [any Service] {
        guard let file = options.recording else {
            try await StoreRecorder.endRecording(of: store)
            return []
        }
        return [RecordingService(recorder: try await StoreRecorder(store, to: file), logger: logger)]
    }
}
