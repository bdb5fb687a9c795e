internal import Foundation
internal import HTTPTypes
internal import Networking

/// HTTP endpoint that receives and returns JSON.
struct JSONEndpoint: Sendable {
    let request: HTTPRequest
    let transport: any HTTPTransport
    /// Maximum time for a request, in seconds.
    let timeout: TimeInterval
    /// Maximum size of a reply, in bytes.
    let replyLimit: Int

    /// Sends one request. Only a reply with status 200 and the expected format is accepted.
    ///
    /// - Throws: `HTTPTransportError`: `refused` for any other reply.
    func post<Reply: Decodable>(
        _ body: some Encodable, for _: Reply.Type = Reply.self
    ) async throws(HTTPTransportError) -> Reply {
        var request = request
        request.method = .post
        request.headerFields[.contentType] = "application/json"
        request.headerFields[.accept] = "application/json"
        let reply: HTTPReply
        do throws(HTTPTransportError) {
            reply = try await transport.send(
                request, body: try Self.encode(body), limits: HTTPLimits(size: replyLimit, seconds: timeout))
        } catch {
            throw HTTPTransportError(code: error.code, reason: "the server request failed: \(error.reason)")
        }
        guard reply.response.status == .ok else {
            throw HTTPTransportError(
                code: .refused, reason: "the server answered with the status \(reply.response.status.code)")
        }
        do {
            return try JSONDecoder().decode(Reply.self, from: reply.body)
        } catch {
            throw HTTPTransportError(code: .refused, reason: "the server's response does not have the expected format")
        }
    }

    private static func encode(_ body: some Encodable) throws(HTTPTransportError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(body)
        } catch {
            throw HTTPTransportError(code: .invalidRequest, reason: "the request cannot be encoded: \(error)")
        }
    }
}
