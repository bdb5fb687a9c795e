internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import ServiceLifecycle
internal import VitrineShopPreview

extension PreviewResponder {
    /// Returns a stream of server-sent events with the current revision number of the shop and each later one, until
    /// the page is closed.
    func changes(_ request: Request) -> Response {
        let (shop, body) = (shop, request.body)
        return Response(
            status: .ok, headers: [.contentType: "text/event-stream"],
            body: ResponseBody { writer in
                let events = await shop.changes()
                let first = await shop.revision
                try await body.consumeWithCancellationOnInboundClose { _ in
                    try await writer.write(Self.event(first))
                    for await revision in events.cancelOnGracefulShutdown() {
                        try await writer.write(Self.event(revision))
                    }
                }
                try await writer.finish(nil)
            })
    }

    private static func event(_ revision: Int) -> ByteBuffer { ByteBuffer(string: "data: \(revision)\n\n") }
}
