internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import VitrineSupport

/// Address from which a request comes, as far as limits tell addresses apart.
struct ClientAddress: Sendable {
    /// `true` if all requests come from a proxy, which adds the address of its client to `X-Forwarded-For`.
    let isBehindProxy: Bool

    /// Returns the name of the address of a request.
    func name(of call: RouteCall) -> String {
        // Clients can send this field too: only what the proxy has added at the end is true.
        if isBehindProxy, let last = call.request.headers[named: "X-Forwarded-For"]?.split(separator: ",").last {
            return Self.network(of: last.trimmingCharacters(in: .whitespaces))
        }
        return Self.network(of: call.context.channel.remoteAddress?.ipAddress ?? "unknown")
    }

    /// Returns an IPv4 address as it is, also one that is written as an IPv6 address, and the first 64 bits of another
    /// IPv6 address, because one customer has all addresses that begin with them.
    private static func network(of address: String) -> String {
        var parsed = in6_addr()
        guard address.utf8.count <= 64, inet_pton(AF_INET6, address, &parsed) == 1 else {
            return String(address.prefix(64))
        }
        let bytes = withUnsafeBytes(of: &parsed) { Array($0) }
        let isIPv4 = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return isIPv4 ? bytes.suffix(4).map(String.init).joined(separator: ".") : bytes.prefix(8).hexadecimal
    }
}
