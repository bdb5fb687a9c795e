internal import Foundation
internal import VitrineSupport

/// Name of the network from which a client makes requests, as a key for limits.
package enum NetworkName {
    /// Maximum length of an address in bytes of UTF-8.
    private static let longest = 64

    /// Returns an IPv4 address unchanged, also if it is written as an IPv6 address, and the 64-bit prefix of other IPv6
    /// addresses, because one client usually controls all addresses with this prefix. A port after the address does not
    /// count, because each connection has another one. Of a text that is no address, only the first bytes count, because
    /// clients can send texts of any length.
    package static func of(_ text: String) -> String {
        let address = withoutPort(text)
        var parsed = in6_addr()
        guard address.utf8.count <= longest, inet_pton(AF_INET6, address, &parsed) == 1 else {
            return String(decoding: address.utf8.prefix(longest), as: UTF8.self)
        }
        let bytes = withUnsafeBytes(of: &parsed) { Array($0) }
        let isIPv4 = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return isIPv4 ? bytes.suffix(4).map(String.init).joined(separator: ".") : bytes.prefix(8).hexadecimal
    }

    /// Returns the address of a text such as `192.0.2.1:51234` or `[2001:db8::1]:51234`, as some proxies write it.
    private static func withoutPort(_ text: String) -> String {
        if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
        let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count == 2 ? String(parts[0]) : text
    }
}
