package import Foundation
internal import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import ServiceLifecycle
package import VitrineShopPreview

/// Server that shows a previewed shop to the browsers of this machine.
package struct PreviewServer: Service {
    private let shop: PreviewShop
    private let port: Int
    private let token: AccessToken
    private let logger: Logger
    private let onReady: @Sendable (URL) async -> Void

    /// Creates a server, which ``run()`` starts.
    ///
    /// - Parameters:
    ///   - shop: Shop that the pages show.
    ///   - port: Port of the loopback address; 0 for one that the system chooses.
    ///   - token: Secret in the address.
    ///   - logger: Logger of failures. It receives no addresses.
    ///   - onReady: Function that is called with the address of the page once the server accepts connections.
    package init(
        shop: PreviewShop, port: Int = 0, token: AccessToken = AccessToken(),
        logger: Logger = Logger(label: "vitrine.preview"),
        onReady: @escaping @Sendable (URL) async -> Void = { _ in }
    ) {
        (self.shop, self.port, self.token, self.logger, self.onReady) = (shop, port, token, logger, onReady)
    }

    /// Serves, and follows changes of the files, until the task is cancelled, or the service group of the task shuts
    /// down gracefully.
    ///
    /// - Throws: An error if the server cannot listen at its address.
    package func run() async throws {
        let (token, onReady) = (token, onReady)
        let application = Application(
            responder: PreviewResponder(shop: shop, templates: try PageTemplates(), token: token, logger: logger),
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            services: [Watch(shop: shop)],
            onServerRunning: { channel in
                guard let port = channel.localAddress?.port,
                    let url = URL(string: "http://127.0.0.1:\(port)/\(token.text)/")
                else { return }
                await onReady(url)
            },
            logger: logger)
        try await application.run()
    }

    /// Follows changes of the files.
    private struct Watch: Service {
        let shop: PreviewShop

        func run() async throws {
            await cancelWhenGracefulShutdown { await shop.watch() }
        }
    }
}
