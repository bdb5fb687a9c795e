package import Foundation
package import HTTPTypes
package import VitrineNetworking

/// Transport that sends `https` requests over `http`, like an attack that removes the encryption.
package struct UnwrappedTransport: HTTPTransport {
    private let transport = DefaultTransport.patient

    package init() {}

    package func receive(
        _ request: HTTPRequest, body: Data, limits: HTTPLimits,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPTransportError) {
        var request = request
        request.scheme = "http"
        try await transport.receive(request, body: body, limits: limits, head: head, part: part)
    }
}
