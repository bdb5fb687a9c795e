internal import Foundation
internal import HTTPTypes
internal import VitrineNetworking
internal import VitrineSupport

/// Client of HTTP services that receive and return JSON.
struct JSONClient: Sendable {
    let transport: any HTTPTransport
    /// Maximum time for a request, in seconds.
    let timeout: TimeInterval
    /// Maximum size of a reply, in bytes.
    let replyLimit: Int

    /// Sends a request and reads the complete reply, with any status.
    ///
    /// - Parameter body: Value to send as JSON; `nil` for a request without a body.
    func send(_ request: HTTPRequest, body: (any Encodable)? = nil) async throws(HTTPTransportError) -> HTTPReply {
        var request = request
        request.headerFields[.accept] = "application/json"
        var content = Data()
        if let body {
            request.headerFields[.contentType] = "application/json"
            content = try Self.encode(body)
        }
        do throws(HTTPTransportError) {
            return try await transport.send(
                request, body: content, limits: HTTPLimits(size: replyLimit, seconds: timeout))
        } catch {
            throw HTTPTransportError(code: error.code, reason: "the server request failed: \(error.reason)")
        }
    }

    private static func encode(_ body: any Encodable) throws(HTTPTransportError) -> Data {
        do {
            return try JSONEncoder.sorted.encode(body)
        } catch {
            throw HTTPTransportError(code: .invalidRequest, reason: "the request cannot be encoded: \(error)")
        }
    }
}

/// HTTP endpoint that receives and returns JSON.
struct JSONEndpoint: Sendable {
    let request: HTTPRequest
    let client: JSONClient

    /// Sends one request. Only a reply with status 200 and the expected format is accepted.
    ///
    /// - Throws: `HTTPTransportError`: `refused` for any other reply.
    func post<Reply: Decodable>(
        _ body: some Encodable, for _: Reply.Type = Reply.self
    ) async throws(HTTPTransportError) -> Reply {
        var request = request
        request.method = .post
        let reply = try await client.send(request, body: body)
        guard reply.response.status == .ok else {
            throw HTTPTransportError(
                code: .refused, reason: "the server answered with the status \(reply.response.status.code)")
        }
        do {
            return try JSONDecoder().decodeForeign(Reply.self, from: reply.body)
        } catch {
            throw HTTPTransportError(code: .refused, reason: "the server's response does not have the expected format")
        }
    }
}
