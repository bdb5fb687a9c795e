internal import HTTPTypes

extension HTTPResponse {
    /// Why this head is not believed, as a sentence's rest; `nil` where it is.
    func objection(to request: HTTPRequest) -> String? {
        if let encoding, encoding.lowercased() != "gzip" || !request.takesGzip {
            return "the reply is encoded as \(encoding.prefix(40)), which was not asked for"
        }
        if let lengthField = headerFields[.contentLength], claimedLength == nil {
            return "the reply's length, \(lengthField.prefix(40)), is no number"
        }
        return nil
    }

    /// How many bytes are said to come, packed or not.
    var claimedLength: Int? { headerFields[.contentLength].flatMap { Int($0) } }

    /// How many bytes of body there have to be; `nil` where the head does not say, or where nobody reads the body, as that
    /// of a redirect.
    func bodyLength(to method: HTTPRequest.Method) -> Int? {
        guard hasBody(to: method), encoding == nil, status.kind != .redirection else { return nil }
        return claimedLength
    }

    /// The status leaves room for a body (RFC 9110 §6.4.1).
    func hasBody(to method: HTTPRequest.Method) -> Bool {
        method != .head && status.kind != .informational && status != .noContent && status != .notModified
    }

    private var encoding: String? {
        headerFields[.contentEncoding].flatMap { $0.lowercased() == "identity" ? nil : $0 }
    }
}

extension HTTPRequest {
    /// The reply may be packed.
    var takesGzip: Bool { headerFields[.acceptEncoding]?.lowercased() != "identity" }
}
