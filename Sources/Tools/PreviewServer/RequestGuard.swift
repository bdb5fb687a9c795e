internal import HTTPTypes
internal import VitrineHTTPServing

/// Protection of a preview against pages of other sites.
struct RequestGuard: Sendable {
    /// Reason why a request is refused before its path is looked at.
    enum Refusal: Error {
        /// Request under another name than that of the loopback address, as after DNS rebinding.
        case otherHost
        /// Request that a page of another origin has caused.
        case otherSite
    }

    /// Port of the connection on this machine.
    let port: Int

    /// Protection of every response. Pages also show images of this server, and send forms to it.
    static let protection = PageProtection("img-src 'self'", "form-action 'self'")

    /// Checks where a request comes from.
    func check(_ head: HTTPRequest) throws(Refusal) {
        let names = ["127.0.0.1:\(port)", "localhost:\(port)"]
        guard let host = head.authority, names.contains(host) else { throw .otherHost }
        guard !head.isFromOtherSite else { throw .otherSite }
        for origin in head.headerFields[values: .origin] {
            // Forms of pages without a referrer have the origin "null", also those of this server.
            let isOwn = origin == "http://\(host)" || origin == "null" && head.fetchSites == ["same-origin"]
            guard isOwn else { throw .otherSite }
        }
    }
}
