package import HTTPTypes
package import Hummingbird

/// Security header fields for web pages: only scripts and styles of the same server are loaded, other pages cannot
/// embed the page, and its address is not sent to other servers.
package struct PageProtection: Sendable {
    private let fields: HTTPFields

    /// - Parameter directives: Additional directives of the content security policy, which always permits only scripts
    ///   and style sheets of the same server.
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

    /// Adds the security header fields to a response. All responses of the server need them, including error responses.
    package func protect(_ response: inout Response) {
        for field in fields { response.headers[field.name] = field.value }
    }
}

extension HTTPRequest {
    /// Values of the header field `Sec-Fetch-Site`: the browser's statement how the page that sent the request is
    /// related to this server.
    package var fetchSites: [String] { HTTPField.Name("Sec-Fetch-Site").map { headerFields[values: $0] } ?? [] }

    /// `true` if a page of another site sent the request. Browsers send `none` if the user has entered the address.
    package var isFromOtherSite: Bool { !fetchSites.allSatisfy { $0 == "same-origin" || $0 == "none" } }
}
