package import Foundation
package import HTTPTypes
package import VitrineNetworking
import VitrineSupport

/// Reaches nobody, and knows who was to be asked.
package struct DeafTransport: HTTPTransport {
    private let addresses = Recorder<String>()

    package init() {}

    /// The addresses that were to be asked.
    package var asked: [String] { addresses.values }

    package func receive(
        _ request: HTTPRequest, body: Data, limits: HTTPLimits,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPTransportError) {
        addresses.record("\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")")
        throw HTTPTransportError(code: .connection, reason: "nobody is there")
    }
}
