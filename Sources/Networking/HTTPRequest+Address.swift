internal import Foundation
internal import HTTPTypes
internal import HTTPTypesFoundation

extension HTTPRequest {
    /// Returns the address of the request.
    ///
    /// - Throws: ``HTTPTransportError`` for an address that is not allowed.
    func address(plainHTTP: PlainHTTP) throws(HTTPTransportError) -> URL {
        guard let url, let host = url.host(), !host.isEmpty else {
            throw HTTPTransportError(code: .invalidRequest, reason: "the request has no address")
        }
        let scheme = url.scheme?.lowercased()
        guard scheme == "https" || scheme == "http" && plainHTTP.allows(host) else {
            throw HTTPTransportError(
                code: .invalidRequest, reason: "\(scheme ?? "no scheme")://\(host) is not allowed: use https")
        }
        guard url.user() == nil, url.password() == nil else {
            throw HTTPTransportError(code: .invalidRequest, reason: "the address contains a user name or password")
        }
        return url
    }
}

/// Hosts that may be requested over plain `http`, which anyone on the network path can read and change.
public enum PlainHTTP: Sendable, Hashable {
    /// This device only: `localhost`, `127.0.0.1` and `[::1]`.
    case loopback
    /// This device, and these hosts: names, or addresses without brackets, and without a port.
    case hosts(Set<String>)
    /// All hosts: for signed replies such as those of OCSP, for which certificates contain `http` addresses.
    case everywhere

    package func allows(_ host: String) -> Bool {
        let host = host.lowercased()
        let isLoopback = ["localhost", "127.0.0.1", "::1"].contains(host)
        return switch self {
        case .loopback: isLoopback
        case .hosts(let hosts): isLoopback || hosts.contains { $0.lowercased() == host }
        case .everywhere: true
        }
    }
}
