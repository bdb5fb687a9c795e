internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import VitrineHTTPServing
internal import VitrineSupport

/// Client address of a request, as a key for rate limits.
struct ClientAddress: Sendable {
    /// `true` if all requests come from a proxy, which adds the address of its client to `X-Forwarded-For`.
    let isBehindProxy: Bool

    /// Returns the client address of a request, or the network for IPv6, as key of a rate limit.
    func name(of call: RouteCall) -> String {
        // Clients can send this field too; only the last element comes from the proxy.
        if isBehindProxy, let last = call.request.headers[named: "X-Forwarded-For"]?.split(separator: ",").last {
            return Self.network(of: last.trimmingCharacters(in: .whitespaces))
        }
        return Self.network(of: call.context.channel.remoteAddress?.ipAddress ?? "unknown")
    }

    /// Returns an IPv4 address unchanged, also if it is written as an IPv6 address, and the 64-bit prefix of other IPv6
    /// addresses, because one client usually controls all addresses with this prefix.
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
