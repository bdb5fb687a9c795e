import HTTPTypes
import VitrineAppServerAPI

@testable import VitrineAppServer

extension Routes {
    /// Returns `false` if an error is not one that the endpoint of a request declares, nor one of a malformed request or an
    /// invalid credential. An address without an endpoint has any error.
    func mayAnswer(_ method: HTTPRequest.Method, _ path: String, with code: WireErrorCode) -> Bool {
        guard let endpoint = endpoints.map(\.endpoint).first(where: { $0.isAt(method, path) }) else { return true }
        let general: Set<WireErrorCode> = [.invalid, .tooLarge, .timeout, .internal]
        return endpoint.errors.union(general).contains(code) || endpoint.caller == .device && code == .unauthenticated
    }
}

extension EndpointSummary {
    /// Returns `true` for a request to this endpoint.
    fileprivate func isAt(_ method: HTTPRequest.Method, _ path: String) -> Bool {
        let (pattern, parts) = (self.path.split(separator: "/"), path.prefix { $0 != "?" }.split(separator: "/"))
        let isOpen = pattern.last?.hasSuffix("...}") == true
        return (method == .head ? .get : method) == self.method
            && (isOpen ? parts.count >= pattern.count : parts.count == pattern.count)
            && zip(pattern, parts).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }
}
