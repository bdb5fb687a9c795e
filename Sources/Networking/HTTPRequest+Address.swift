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
