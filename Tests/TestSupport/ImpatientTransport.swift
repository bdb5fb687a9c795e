package import Foundation
package import HTTPTypes
package import Networking

/// Gives up after a second what has begun and does not go on.
package struct ImpatientTransport: HTTPTransport {
    private let transport = DefaultTransport()

    package init() {}

    package func receive(
        _ request: HTTPRequest, body: Data, limits: HTTPLimits,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPTransportError) {
        var limits = limits
        (limits.firstByte, limits.stall) = (60, 1)
        try await transport.receive(request, body: body, limits: limits, head: head, part: part)
    }
}
