package import Foundation
package import HTTPTypes
package import VitrineNetworking
import VitrineSupport

/// Transport that fails for every request, and records the addresses.
package struct DeafTransport: HTTPTransport {
    private let addresses = Recorder<String>()

    package init() {}

    /// Requested addresses.
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
