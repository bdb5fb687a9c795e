internal import HTTPTypes
internal import VitrineHTTPServing

/// Protection of a preview against requests from other websites.
struct RequestGuard: Sendable {
    /// Reason why a request is rejected, regardless of its path.
    enum Refusal: Error {
        /// The `Host` of the request is not the loopback address, for example because of DNS rebinding.
        case otherHost
        /// The request was sent by a page of another origin.
        case otherSite
    }

    /// Port on which the server received the connection.
    let port: Int

    /// Protective header fields of every response. Their content security policy allows pages to show images of this
    /// server and to send forms to it.
    static let protection = PageProtection("img-src 'self'", "form-action 'self'")

    /// Rejects requests with a foreign `Host` or `Origin`.
    func check(_ head: HTTPRequest) throws(Refusal) {
        let names = ["127.0.0.1:\(port)", "localhost:\(port)"]
        guard head.hasOneHost, let host = head.authority, names.contains(host) else { throw .otherHost }
        guard !head.isFromOtherSite else { throw .otherSite }
        for origin in head.headerFields[values: .origin] {
            // Forms of pages without a referrer have the origin "null", also those of this server.
            let isOwn = origin == "http://\(host)" || origin == "null" && head.fetchSites == ["same-origin"]
            guard isOwn else { throw .otherSite }
        }
    }
}
