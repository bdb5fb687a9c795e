package import Foundation

extension LoopbackServer {
    /// Answer of the server to a request.
    package enum Answer: Sendable {
        /// Complete reply. Its length is added unless a header field contains it.
        case reply(Int = 200, headers: [String: String] = [:], body: Data = Data())
        /// Bytes, which need not be valid HTTP, followed by the end of the connection.
        case bytes(Data, then: End)
        /// Bytes, followed by the elements of a stream. The connection is closed after the last element.
        case stream(Data, AsyncStream<Data>)
        /// Body that never ends, with an optional false length in the header.
        case endless(claimed: Int? = nil)

        /// End of a connection.
        package enum End: Sendable {
            /// The connection remains open, without further bytes, until the server or the client closes it.
            case silence
            /// The sending side of the connection is closed.
            case close
            /// The connection is reset, as after a crash of the process.
            case reset
        }
    }
}

extension LoopbackServer.Answer {
    /// No reply; the connection remains open until the server ends.
    package static let silence = bytes(Data(), then: .silence)
    /// No reply; the connection is reset.
    package static let reset = bytes(Data(), then: .reset)
    /// Beginning of a reply whose header never ends.
    package static let endlessHead = bytes(Data("HTTP/1.1 200 OK\r\nX-Never: ".utf8), then: .silence)

    /// Returns a reply that ends after a number of bytes of a longer announced body.
    package static func broken(after sent: Int, of promised: Int, then end: End = .close) -> Self {
        bytes(head("Content-Length: \(promised)") + Data(repeating: UInt8(ascii: " "), count: sent), then: end)
    }

    /// Returns a reply with one complete chunk, and another chunk that never arrives.
    package static func brokenChunks(_ body: Data, headers: String...) -> Self {
        let length = String(body.count, radix: 16)
        return bytes(
            head(["Transfer-Encoding: chunked"] + headers) + Data("\(length)\r\n".utf8) + body
                + Data("\r\n10\r\n".utf8),
            then: .close)
    }

    /// Returns a reply with a body and header fields that may be false. Without a length, the body ends with the
    /// connection.
    package static func body(_ body: Data, headers: String..., then end: End = .close) -> Self {
        bytes(head(headers) + body, then: end)
    }

    package static func json(_ text: String, status: Int = 200) -> Self {
        .reply(status, headers: ["Content-Type": "application/json"], body: Data(text.utf8))
    }

    package static func redirect(to url: URL, status: Int = 302) -> Self {
        .reply(status, headers: ["Location": url.absoluteString])
    }

    /// Returns the header of a reply with status 200.
    package static func head(_ headers: String...) -> Data { head(headers) }

    package static func head(_ headers: [String]) -> Data {
        Data((["HTTP/1.1 200 OK"] + headers + ["", ""]).joined(separator: "\r\n").utf8)
    }
}
