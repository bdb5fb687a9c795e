internal import HTTPTypes
package import Hummingbird
internal import NIOCore

extension Routes {
    /// Adds the web page for operators. The page has no data; its script asks for a token, and loads data with it.
    mutating func addOperatorPage() {
        let files: [(path: String, mediaType: String, bytes: [UInt8])] = [
            ("/operator", "text/html; charset=utf-8", PackageResources.operator_html),
            ("/operator/operator.css", "text/css; charset=utf-8", PackageResources.operator_css),
            ("/operator/operator.js", "text/javascript; charset=utf-8", PackageResources.operator_js),
        ]
        for file in files {
            let body = ByteBuffer(bytes: file.bytes)
            add(.get, file.path) { _ in
                Response(
                    status: .ok, headers: [.contentType: file.mediaType], body: ResponseBody(byteBuffer: body))
            }
        }
    }
}

/// Responder for the operators' address. It rejects requests for unknown host names, and its content security policy
/// lets pages run only this server's script.
package struct OperatorResponder: HTTPResponder {
    package typealias Context = AppRequestContext

    private let routes: Routes
    private let names: Set<String>

    /// - Parameter names: Host names of the server for operators, in lowercase and without port. `localhost` and IP
    ///   addresses are always accepted.
    package init(_ routes: Routes, names: Set<String> = []) { (self.routes, self.names) = (routes, names) }

    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "form-action 'none'",
        "base-uri 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    private static let headers: [(HTTPField.Name, String)] = [
        (.contentSecurityPolicy, policy), (.xContentTypeOptions, "nosniff"), (.cacheControl, "no-store"),
        (HTTPField.Name("Referrer-Policy"), "no-referrer"),
        (HTTPField.Name("Cross-Origin-Resource-Policy"), "same-origin"),
        (HTTPField.Name("Cross-Origin-Opener-Policy"), "same-origin"), (HTTPField.Name("X-Frame-Options"), "DENY"),
    ].compactMap { name, value in name.map { ($0, value) } }

    package func respond(to request: Request, context: AppRequestContext) async -> Response {
        var response: Response
        if let refusal = refusal(of: request, context) {
            response = refusal.response(in: context)
        } else {
            response = await routes.respond(to: request, context: context)
        }
        for (name, value) in Self.headers { response.headers[name] = value }
        return response
    }

    /// Rejects requests with a foreign `Host` or `Sec-Fetch-Site`; returns `nil` for other requests.
    private func refusal(of request: Request, _ context: AppRequestContext) -> Problem? {
        guard let authority = request.head.authority?.lowercased(), isOwn(authority) else {
            return Problem(.misdirectedRequest, "misdirected", "This server does not have the name of the address.")
        }
        let site = Self.fetchSite.map { request.headers[values: $0] } ?? []
        // Browsers send "none" if a person has entered the URL.
        guard site.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
            return Problem(.forbidden, "other-site", "A page of another site may not make this request.")
        }
        return nil
    }

    /// Indicates that a host belongs to this server. A page that attacks by DNS rebinding sends its own host name; a
    /// browser sends an IP address as host only to that address.
    private func isOwn(_ authority: String) -> Bool {
        if authority.hasPrefix("[") { return true }
        let name = String(authority.prefix { $0 != ":" })
        return name == "localhost" || names.contains(name) || (try? SocketAddress(ipAddress: name, port: 0)) != nil
    }

    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")
}
