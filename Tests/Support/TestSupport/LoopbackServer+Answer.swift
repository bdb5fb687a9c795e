package import Foundation

extension LoopbackServer {
    /// What the server does with a request.
    package enum Answer: Sendable {
        /// A whole reply; its length is added where no header says it.
        case reply(Int = 200, headers: [String: String] = [:], body: Data = Data())
        /// These bytes, which need not be HTTP, and then an end.
        case bytes(Data, then: End)
        /// These bytes, and then more as they are given. The connection is closed after the last.
        case stream(Data, AsyncStream<Data>)
        /// A body that never ends; a length that is not true may stand in front of it.
        case endless(claimed: Int? = nil)

        /// What becomes of a connection.
        package enum End: Sendable {
            /// Nothing, until the server or the other side ends it.
            case silence
            /// The other side is told that nothing more comes.
            case close
            /// It is broken off as by a process that has crashed.
            case reset
        }
    }
}

extension LoopbackServer.Answer {
    /// Nothing, until the server ends.
    package static let silence = bytes(Data(), then: .silence)
    /// The connection is broken off without a word.
    package static let reset = bytes(Data(), then: .reset)
    /// The reply begins, and its head never ends.
    package static let endlessHead = bytes(Data("HTTP/1.1 200 OK\r\nX-Never: ".utf8), then: .silence)

    /// What comes after so many bytes of a body that was promised.
    package static func broken(after sent: Int, of promised: Int, then end: End = .close) -> Self {
        bytes(head("Content-Length: \(promised)") + Data(repeating: UInt8(ascii: " "), count: sent), then: end)
    }

    /// A body in one chunk, with another begun after it that never comes.
    package static func brokenChunks(_ body: Data, headers: String...) -> Self {
        let length = String(body.count, radix: 16)
        return bytes(
            head(["Transfer-Encoding: chunked"] + headers) + Data("\(length)\r\n".utf8) + body
                + Data("\r\n10\r\n".utf8),
            then: .close)
    }

    /// A body under headers that need not be true. Where no length is among them, the end of the connection is its end.
    package static func body(_ body: Data, headers: String..., then end: End = .close) -> Self {
        bytes(head(headers) + body, then: end)
    }

    package static func json(_ text: String, status: Int = 200) -> Self {
        .reply(status, headers: ["Content-Type": "application/json"], body: Data(text.utf8))
    }

    package static func redirect(to url: URL, status: Int = 302) -> Self {
        .reply(status, headers: ["Location": url.absoluteString])
    }

    /// The head of a reply with status 200.
    package static func head(_ headers: String...) -> Data { head(headers) }

    package static func head(_ headers: [String]) -> Data {
        Data((["HTTP/1.1 200 OK"] + headers + ["", ""]).joined(separator: "\r\n").utf8)
    }
}
