internal import HTTPTypes
package import Hummingbird
internal import NIOCore
internal import VitrineAppServerAPI
package import VitrineHTTPServing

extension Routes {
    /// Adds the web page for operators. The page has no data; its script asks for a token, and loads data with it.
    mutating func addOperatorPage() {
        let files: [(endpoint: Endpoint<NoBody, FileBody>, mediaType: String, bytes: [UInt8])] = [
            (OperatorAPI.page, "text/html; charset=utf-8", PackageResources.operator_html),
            (OperatorAPI.style, "text/css; charset=utf-8", PackageResources.operator_css),
            (OperatorAPI.script, "text/javascript; charset=utf-8", PackageResources.operator_js),
        ]
        for file in files {
            let body = ByteBuffer(bytes: file.bytes)
            add(file.endpoint) { _ in Response(file.mediaType, body) }
        }
    }
}

/// Responder for the operators' address. It rejects requests for unknown host names, and its content security policy
/// lets pages run only this server's script.
package struct OperatorResponder: HTTPResponder {
    package typealias Context = ConnectionContext

    private let routes: Routes
    private let names: Set<String>

    /// - Parameter names: Host names of the server for operators, in lowercase and without port. `localhost` and IP
    ///   addresses are always accepted.
    package init(_ routes: Routes, names: Set<String> = []) { (self.routes, self.names) = (routes, names) }

    private static let protection = PageProtection("form-action 'none'")

    package func respond(to request: Request, context: ConnectionContext) async throws -> Response {
        var response: Response
        if let refusal = refusal(of: request, context) {
            response = try refusal.response(in: context)
        } else {
            response = try await routes.respond(to: request, context: context)
        }
        Self.protection.protect(&response)
        return response
    }

    /// Returns the error response for a request with the host name of another server, or from a page of another site;
    /// `nil` for other requests.
    private func refusal(of request: Request, _ context: ConnectionContext) -> ErrorResponse? {
        guard let authority = request.head.authority?.lowercased(), isOwn(authority) else {
            return ErrorResponse(
                .misdirectedRequest, "misdirected", "This server does not have the name of the address.")
        }
        guard !request.head.isFromOtherSite else {
            return ErrorResponse(.forbidden, "other-site", "A page of another site may not make this request.")
        }
        return nil
    }

    /// Indicates that the host of a request belongs to this server. In a DNS rebinding attack, the host is the name of
    /// the attacker's server; browsers send an IP address as host only to that address.
    private func isOwn(_ authority: String) -> Bool {
        if authority.hasPrefix("[") { return true }
        let name = String(authority.prefix { $0 != ":" })
        return name == "localhost" || names.contains(name) || (try? SocketAddress(ipAddress: name, port: 0)) != nil
    }
}
