package import HTTPTypes
package import Hummingbird

/// Protection of pages: nothing in their markup can run, other pages cannot contain them, and their address is told no
/// other server.
package struct PageProtection: Sendable {
    private let fields: HTTPFields

    /// - Parameter directives: Directives of the content security policy besides those of all pages, which run the
    ///   scripts and have the style sheets of their own server alone.
    package init(_ directives: String...) {
        let policy = [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
        var fields: HTTPFields = [
            .contentSecurityPolicy: (policy + directives).joined(separator: "; "), .cacheControl: "no-store",
            .xContentTypeOptions: "nosniff",
        ]
        fields[named: "Referrer-Policy"] = "no-referrer"
        fields[named: "Cross-Origin-Resource-Policy"] = "same-origin"
        fields[named: "Cross-Origin-Opener-Policy"] = "same-origin"
        fields[named: "X-Frame-Options"] = "DENY"
        self.fields = fields
    }

    /// Adds the header fields to a response: to each one of the server, also where it refuses a request.
    package func protect(_ response: inout Response) {
        for field in fields { response.headers[field.name] = field.value }
    }
}

extension HTTPRequest {
    /// Relations of the page that causes the request to this server, as the browser says them.
    package var fetchSites: [String] { HTTPField.Name("Sec-Fetch-Site").map { headerFields[values: $0] } ?? [] }

    /// `true` if a page of another site causes the request. Browsers say "none" where a person has entered the address.
    package var isFromOtherSite: Bool { !fetchSites.allSatisfy { $0 == "same-origin" || $0 == "none" } }
}
