internal import HTTPTypes

extension HTTPResponse {
    /// Returns the reason for which this head is not accepted, as the rest of a sentence; `nil` if it is.
    func objection(to request: HTTPRequest) -> String? {
        if let encoding, encoding.lowercased() != "gzip" || !request.takesGzip {
            return "the reply is encoded as \(encoding.prefix(40)), which was not requested"
        }
        if let lengthField = headerFields[.contentLength], claimedLength == nil {
            return "the reply's Content-Length, \(lengthField.prefix(40)), is not a number"
        }
        return nil
    }

    /// Number of bytes that the head announces, compressed or not.
    var claimedLength: Int? { headerFields[.contentLength].flatMap { Int($0) } }

    /// Returns the required number of bytes of the body; `nil` if the head does not specify it, or if the body is not
    /// read, as that of a redirect.
    func bodyLength(to method: HTTPRequest.Method) -> Int? {
        guard hasBody(to: method), encoding == nil, status.kind != .redirection else { return nil }
        return claimedLength
    }

    /// Returns `true` if a reply with this status can have a body (RFC 9110 §6.4.1).
    func hasBody(to method: HTTPRequest.Method) -> Bool {
        method != .head && status.kind != .informational && status != .noContent && status != .notModified
    }

    private var encoding: String? {
        headerFields[.contentEncoding].flatMap { $0.lowercased() == "identity" ? nil : $0 }
    }
}

extension HTTPRequest {
    /// Indicates that the reply may be compressed with gzip.
    var takesGzip: Bool { headerFields[.acceptEncoding]?.lowercased() != "identity" }
}
