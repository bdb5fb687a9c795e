package import Foundation
internal import Hummingbird
package import Logging
internal import ServiceLifecycle
internal import VitrineHTTPServing
package import VitrineShopPreview

/// HTTP server that shows the preview of a shop to browsers on this machine.
package struct PreviewServer: Service {
    private let shop: PreviewShop
    private let port: Int
    private let token: AccessToken
    private let logger: Logger
    private let onReady: @Sendable (URL) async -> Void

    /// Creates a server, which ``run()`` starts.
    ///
    /// - Parameters:
    ///   - shop: Shop on the pages.
    ///   - port: Port on the loopback address; with 0, the system chooses a free port.
    ///   - token: Secret in the URL.
    ///   - logger: Logger for failures. It receives no URLs.
    ///   - onReady: Function that is called with the URL of the page once the server accepts connections.
    package init(
        shop: PreviewShop, port: Int = 0, token: AccessToken = AccessToken(),
        logger: Logger = Logger(label: "vitrine.preview"),
        onReady: @escaping @Sendable (URL) async -> Void = { _ in }
    ) {
        (self.shop, self.port, self.token, self.logger, self.onReady) = (shop, port, token, logger, onReady)
    }

    /// Serves requests and watches the files of the shop, until the task is canceled or its service group shuts down
    /// gracefully.
    ///
    /// - Throws: An error if the server cannot listen on its port.
    package func run() async throws {
        let (token, onReady) = (token, onReady)
        let application = Application(
            PreviewResponder(shop: shop, templates: try PageTemplates(), token: token), host: "127.0.0.1", port: port,
            services: [BackgroundWork { [shop] in await shop.watch() }], logger: logger
        ) { url in
            await onReady(url.appending(path: token.text, directoryHint: .isDirectory))
        }
        try await application.run()
    }
}
