internal import HTTPTypes
package import Hummingbird
internal import NIOCore

extension Routes {
    /// Adds the page of operators. It holds no data: its script asks for a token, and then for the data.
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

/// Responder of the operators' address. It answers only under the names of the address, and lets pages run nothing but
/// the script of this server.
package struct OperatorResponder: HTTPResponder {
    package typealias Context = AppRequestContext

    private let routes: Routes
    private let names: Set<String>

    /// - Parameter names: Names under which operators reach the server, in lowercase and without a port, besides
    ///   `localhost` and numbers of addresses.
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

    /// Returns why a request is refused before its path is looked at; `nil` if it is not.
    private func refusal(of request: Request, _ context: AppRequestContext) -> Problem? {
        guard let authority = request.head.authority?.lowercased(), isOwn(authority) else {
            return Problem(.misdirectedRequest, "misdirected", "This server does not have the name of the address.")
        }
        let site = Self.fetchSite.map { request.headers[values: $0] } ?? []
        // Browsers say "none" where a person has entered the address.
        guard site.allSatisfy({ $0 == "same-origin" || $0 == "none" }) else {
            return Problem(.forbidden, "other-site", "A page of another site may not make this request.")
        }
        return nil
    }

    /// Returns `true` for names of this server. After DNS rebinding, a browser sends the name of the other site; it
    /// sends the number of an address only to that address.
    private func isOwn(_ authority: String) -> Bool {
        if authority.hasPrefix("[") { return true }
        let name = String(authority.prefix { $0 != ":" })
        return name == "localhost" || names.contains(name) || (try? SocketAddress(ipAddress: name, port: 0)) != nil
    }

    private static let fetchSite = HTTPField.Name("Sec-Fetch-Site")
}
