internal import Foundation
internal import HTTPTypes
internal import VitrineSupport

/// Request to the App Store Server API, without the server's address and the token.
struct AppStoreServerRequest {
    private let method: HTTPRequest.Method
    private let path: [String]
    private let query: [(name: String, value: String)]
    /// Value to send as JSON; `nil` for a request without a body.
    let body: (any Encodable)?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - path: Segments of the path, not percent-encoded.
    ///   - query: Names and values of the query, not percent-encoded. A name may occur more than once.
    init(
        _ method: HTTPRequest.Method, _ path: String..., query: [(name: String, value: String)] = [],
        body: (any Encodable)? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
    }

    /// Returns the HTTP request to a server.
    ///
    /// - Throws: ``AppStoreServerError`` with the code `invalid-request` if the server has no valid address, or if an
    ///   identifier in the path is empty, `.` or `..`.
    func httpRequest(to server: AppStoreServerClient.Server) throws(AppStoreServerError) -> HTTPRequest {
        guard !path.contains(where: ["", ".", ".."].contains) else {
            throw AppStoreServerError(
                code: .invalidRequest, reason: "an identifier in the request is empty, or consists of dots")
        }
        var request = try server.request
        request.method = method
        request.path = (request.path ?? "") + "/" + path.map(\.percentEncoded).joined(separator: "/") + encodedQuery
        return request
    }

    private var encodedQuery: String {
        guard !query.isEmpty else { return "" }
        return "?" + query.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
    }
}

extension AppStoreServerClient.Server {
    /// Request to the server, with the path of its address without a trailing slash.
    ///
    /// - Throws: ``AppStoreServerError`` if the address is not valid for a server.
    fileprivate var request: HTTPRequest {
        get throws(AppStoreServerError) {
            switch self {
            case .production: Self.request(host: "api.storekit.apple.com")
            case .sandbox: Self.request(host: "api.storekit-sandbox.apple.com")
            case .other(let url): try Self.request(url)
            }
        }
    }

    private static func request(host: String) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "https", authority: host, path: "")
    }

    private static func request(_ url: URL) throws(AppStoreServerError) -> HTTPRequest {
        guard let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = components.scheme, let host = components.percentEncodedHost, !host.isEmpty,
            components.user == nil, components.password == nil
        else {
            throw AppStoreServerError(
                code: .invalidRequest, reason: "the address of the server has no scheme or host, or has a user name")
        }
        let path = components.percentEncodedPath
        return HTTPRequest(
            method: .get, scheme: scheme, authority: components.port.map { "\(host):\($0)" } ?? host,
            path: path.hasSuffix("/") ? String(path.dropLast()) : path)
    }
}

extension Date {
    /// Date in the format of the App Store Server API, in whole milliseconds since 1970.
    ///
    /// - Throws: ``AppStoreServerError`` with the code `invalid-request` if the date is out of range.
    var storeMilliseconds: Int64 {
        get throws(AppStoreServerError) {
            guard let milliseconds = Int64(exactly: (timeIntervalSince1970 * 1_000).rounded()) else {
                throw AppStoreServerError(code: .invalidRequest, reason: "a date of the request is out of range")
            }
            return milliseconds
        }
    }
}
