package import Foundation

/// Rules for the addresses of web servers.
package enum WebAddress {
    /// Returns why no request is ever sent to an address, as the rest of a sentence about it; `nil` for an address that a
    /// transport may accept. A transport may also refuse `http`.
    package static func objection(to url: URL) -> String? {
        guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true), let scheme = components.scheme,
            ["https", "http"].contains(scheme.lowercased())
        else { return "does not begin with https://" }
        guard components.host?.isEmpty == false else { return "has no host" }
        guard components.user == nil, components.password == nil else { return "contains a user name or password" }
        guard components.port.map({ (1...65_535).contains($0) }) ?? true else {
            return "has a port that does not exist"
        }
        return nil
    }

    /// Returns why an address is not requested, as the rest of a sentence about it; `nil` for one that is.
    ///
    /// - Parameter allowsPlainHTTP: Returns `true` for a host that may be asked without encryption, such as
    ///   ``isLoopback(_:)``.
    package static func objection(to url: URL, allowsPlainHTTP: (String) -> Bool) -> String? {
        if let objection = objection(to: url) { return objection }
        guard url.absoluteURL.scheme?.lowercased() == "https" || url.host().map(allowsPlainHTTP) == true else {
            return "is not encrypted: use https"
        }
        return nil
    }

    /// Returns `true` for the names of this device: `localhost`, `127.0.0.1` and `::1`.
    package static func isLoopback(_ host: String) -> Bool {
        ["localhost", "127.0.0.1", "::1"].contains(host.lowercased())
    }

    /// Returns the text of an address for messages, with `…` instead of a user name and a password.
    package static func printed(_ text: String) -> String {
        guard let start = text.range(of: "://")?.upperBound else { return text }
        let authority = text[start...].prefix { !"/?#\\".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return text }
        return text[..<start] + "…" + text[at...]
    }

    /// Returns an address for messages: without user name, password, query and fragment, which may grant access.
    package static func printed(_ url: URL) -> String {
        guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return "the address" }
        (components.user, components.password, components.query, components.fragment) = (nil, nil, nil, nil)
        return components.string ?? "the address"
    }
}
