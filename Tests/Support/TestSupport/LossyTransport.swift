package import Foundation
package import HTTPTypes
import Synchronization
package import VitrineNetworking
import VitrineSupport

/// Transport that loses replies: the server has answered the request, and the client does not learn it.
package final class LossyTransport: HTTPTransport {
    private let transport = DefaultTransport.patient
    /// Paths of the requests whose next replies are lost.
    private let lost = Mutex<[String]>([])

    package init() {}

    /// Loses the reply to the next request whose path has an ending.
    package func loseReply(to ending: String) { lost.withLock { $0.append(ending) } }

    package func objection(to url: URL) -> String? { transport.objection(to: url) }

    package func receive(
        _ request: HTTPRequest, body: Data, limits: HTTPLimits,
        head: @escaping @Sendable (HTTPResponse) throws(HTTPTransportError) -> Void,
        part: @escaping @Sendable (Data) throws(HTTPTransportError) -> Void
    ) async throws(HTTPTransportError) {
        let isLost = lost.withLock { lost in
            guard let index = lost.firstIndex(where: { request.path?.hasSuffix($0) == true }) else { return false }
            lost.remove(at: index)
            return true
        }
        guard isLost else {
            return try await transport.receive(request, body: body, limits: limits, head: head, part: part)
        }
        try await transport.receive(request, body: body, limits: limits) { _ in
        } part: { _ in
        }
        throw HTTPTransportError(code: .connection, reason: "the reply was lost")
    }
}
