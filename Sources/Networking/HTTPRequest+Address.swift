internal import Foundation
internal import HTTPTypes
internal import HTTPTypesFoundation

extension HTTPRequest {
    /// Where the request goes.
    ///
    /// - Throws: ``HTTPTransportError`` for an address that nobody asks.
    func address(plainHTTP: PlainHTTP) throws(HTTPTransportError) -> URL {
        guard let url, let host = url.host(), !host.isEmpty else {
            throw HTTPTransportError(code: .invalidRequest, reason: "the request has no address")
        }
        let scheme = url.scheme?.lowercased()
        guard scheme == "https" || scheme == "http" && plainHTTP.allows(host) else {
            throw HTTPTransportError(
                code: .invalidRequest, reason: "\(scheme ?? "no scheme")://\(host) is not asked: only https is")
        }
        guard url.user() == nil, url.password() == nil else {
            throw HTTPTransportError(code: .invalidRequest, reason: "the address holds a user's name or password")
        }
        return url
    }
}
