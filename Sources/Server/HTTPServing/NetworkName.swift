internal import Foundation
internal import VitrineSupport

/// Name of the network from which a client makes requests, as a key for limits.
package enum NetworkName {
    /// Maximum length of an address in bytes of UTF-8.
    private static let longest = 64

    /// Returns an IPv4 address unchanged, also if it is written as an IPv6 address, and the 64-bit prefix of other IPv6
    /// addresses, because one client usually controls all addresses with this prefix. Of a text that is no address, only
    /// the first bytes count, because clients can send texts of any length.
    package static func of(_ address: String) -> String {
        var parsed = in6_addr()
        guard address.utf8.count <= longest, inet_pton(AF_INET6, address, &parsed) == 1 else {
            return String(decoding: address.utf8.prefix(longest), as: UTF8.self)
        }
        let bytes = withUnsafeBytes(of: &parsed) { Array($0) }
        let isIPv4 = bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return isIPv4 ? bytes.suffix(4).map(String.init).joined(separator: ".") : bytes.prefix(8).hexadecimal
    }
}
