internal import Foundation
internal import HTTPTypes
internal import Networking

/// An address that takes JSON and answers with JSON.
struct JSONEndpoint: Sendable {
    let request: HTTPRequest
    let transport: any HTTPTransport
    /// In seconds.
    let timeout: TimeInterval
    /// In bytes.
    let replyLimit: Int

    /// Why there is no answer that means anything, as the rest of a sentence.
    struct NoAnswer: Error {
        let reason: String
    }

    /// Asks once. Only a reply with status 200 that has the right form is an answer.
    func post<Reply: Decodable>(_ body: some Encodable, for _: Reply.Type = Reply.self) async throws(NoAnswer) -> Reply
    {
        var request = request
        request.method = .post
        request.headerFields[.contentType] = "application/json"
        request.headerFields[.accept] = "application/json"
        let reply: HTTPReply
        do throws(HTTPTransportError) {
            reply = try await transport.send(
                request, body: try Self.encode(body), limits: HTTPLimits(size: replyLimit, seconds: timeout))
        } catch {
            throw NoAnswer(reason: "the server could not be asked: \(error.reason)")
        }
        guard reply.response.status == .ok else {
            throw NoAnswer(reason: "the server answered with the status \(reply.response.status.code)")
        }
        do {
            return try JSONDecoder().decode(Reply.self, from: reply.body)
        } catch {
            throw NoAnswer(reason: "the server's answer has not the form that was expected")
        }
    }

    private static func encode(_ body: some Encodable) throws(HTTPTransportError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return try encoder.encode(body)
        } catch {
            throw HTTPTransportError(code: .invalidRequest, reason: "the request cannot be written: \(error)")
        }
    }
}
