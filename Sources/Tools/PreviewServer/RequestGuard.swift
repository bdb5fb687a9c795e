internal import HTTPTypes
internal import Hummingbird

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

    /// Headers of every response. Pages run one script and have one style sheet, both from this server, and nothing in
    /// their markup can run. The address with the token is told no other server.
    static let headers: [(HTTPField.Name, String)] = [
        (.contentSecurityPolicy, policy), (.cacheControl, "no-store"), (.xContentTypeOptions, "nosniff"),
        (HTTPField.Name("Referrer-Policy"), "no-referrer"),
        (HTTPField.Name("Cross-Origin-Resource-Policy"), "same-origin"),
        (HTTPField.Name("Cross-Origin-Opener-Policy"), "same-origin"), (HTTPField.Name("X-Frame-Options"), "DENY"),
    ].compactMap { name, value in name.map { ($0, value) } }

    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")

    /// Checks where a request comes from.
    func check(_ head: HTTPRequest) throws(Refusal) {
        let names = ["127.0.0.1:\(port)", "localhost:\(port)"]
        guard let host = head.authority, names.contains(host) else { throw .otherHost }
        let site = Self.fetchSite.flatMap { head.headerFields[values: $0] } ?? []
        // Browsers say "none" where the user has entered the address.
        guard site.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else { throw .otherSite }
        for origin in head.headerFields[values: .origin] {
            // Forms of pages without a referrer have the origin "null", also those of this server.
            guard origin == "http://\(host)" || origin == "null" && site == ["same-origin"] else { throw .otherSite }
        }
    }
}
