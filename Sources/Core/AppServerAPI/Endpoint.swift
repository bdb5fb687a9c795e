internal import Foundation
package import HTTPTypes

/// Sender of the requests to an endpoint, which its credential proves.
package enum EndpointCaller: String, Sendable, Hashable {
    /// Anyone, without a credential.
    case anyone
    /// An enrolled device, with its token.
    case device
    /// An operator of the server, with a token from the server's configuration.
    case `operator`
}

/// Description of an endpoint of the app's own server. The server registers its routes, and apps make their requests,
/// from the same value.
package struct Endpoint<Body: WireBody, Reply: WireBody>: Sendable {
    /// Name of the operation, which is its `operationId` in `Documentation/AppServer.openapi.yaml`.
    package let name: String
    package let method: HTTPRequest.Method
    /// Pattern of the path: `{name}` stands for one segment with any value, and `{name...}` at the end for one or more
    /// segments.
    package let path: String
    package let caller: EndpointCaller
    /// Maximum size of a request's body in bytes.
    package let bodyLimit: Int
    /// Maximum size of a reply's body in bytes.
    package let replyLimit: Int
    /// Status of a successful reply.
    package let status: HTTPResponse.Status
    /// Errors of a request that is well-formed and has a valid credential.
    package let errors: Set<WireErrorCode>

    package init(
        _ name: String, _ method: HTTPRequest.Method, _ path: String, for caller: EndpointCaller = .anyone,
        bodyLimit: Int = 64 * 1024, replyLimit: Int = 1024 * 1024, status: HTTPResponse.Status = .ok,
        errors: Set<WireErrorCode> = []
    ) {
        (self.name, self.method, self.path, self.caller) = (name, method, path, caller)
        (self.bodyLimit, self.replyLimit, self.status, self.errors) = (bodyLimit, replyLimit, status, errors)
    }

    /// Returns the segments of the path for given parameters.
    ///
    /// - Parameter parameters: Value of each parameter in the order of the path. A parameter such as `{path...}` takes
    ///   all remaining values.
    package func segments(_ parameters: [String] = []) -> [String] {
        var rest = parameters[...]
        return path.split(separator: "/").flatMap { segment -> [String] in
            guard segment.hasPrefix("{") else { return [String(segment)] }
            let count = segment.hasSuffix("...}") ? rest.count : 1
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
    }

    /// The description without the types of the bodies.
    package var summary: EndpointSummary {
        EndpointSummary(
            name: name, method: method, path: path, caller: caller, bodyLimit: bodyLimit, status: status,
            errors: errors, body: Body.self, reply: Reply.self)
    }
}

/// Description of any endpoint.
package struct EndpointSummary: Sendable {
    package let name: String
    package let method: HTTPRequest.Method
    package let path: String
    package let caller: EndpointCaller
    package let bodyLimit: Int
    package let status: HTTPResponse.Status
    package let errors: Set<WireErrorCode>
    package let body: any WireBody.Type
    package let reply: any WireBody.Type
}

extension HTTPField.Name {
    /// Random text of a request for a customer's state, which the signature of the reply covers.
    package static var nonce: HTTPField.Name { name("Vitrine-Nonce") }
    /// Signature of a customer's state in Base64.
    package static var stateSignature: HTTPField.Name { name("Vitrine-Signature") }
    /// Identifier of the exclusive lock that a device holds in an exchange.
    package static var exchangeLock: HTTPField.Name { name("Vitrine-Exchange-Lock") }
    /// Sequence number that a device has received in the last event of an earlier connection.
    package static var lastEventID: HTTPField.Name { name("Last-Event-ID") }

    /// The names above are tokens of RFC 9110, so that the alternative is never used.
    private static func name(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .userAgent }
}
