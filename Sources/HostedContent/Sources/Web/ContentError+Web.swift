internal import Foundation
internal import HTTPTypes
internal import Networking

extension ContentError {
    /// Error of a request to an address.
    init(_ error: HTTPFetchError) {
        let code: Code =
            switch error.code {
            case .unreachable, .timeout: .network
            case .addressRefused, .redirect, .refused: .server
            case .tooLarge: .wrongContent
            case .status(let status): status >= 500 || [408, 425, 429].contains(status) ? .network : .server
            case .cancelled: .cancelled
            }
        self.init(code: code, reason: error.reason, retryAfter: error.retryAfter)
    }

    init(_ response: HTTPResponse, now: Date) { self.init(HTTPFetchError(response, now: now)) }

    /// `true` if another server may have the content.
    var isOfOneServer: Bool { [.network, .server, .wrongContent].contains(code) }

    /// Combines the failures of several addresses, at least one. If one of them may answer later, the error says so.
    init(_ failures: [(url: URL, error: ContentError)]) {
        let errors = failures.map(\.error)
        self.init(
            code: errors.contains { $0.code == .network } ? .network : errors.last?.code ?? .server,
            reason: failures.map { "\($0.url.withoutSecrets): \($0.error.reason)" }.joined(separator: "; "),
            retryAfter: errors.contains { $0.code == .network && $0.retryAfter == nil }
                ? nil : errors.compactMap(\.retryAfter).min())
    }
}

extension URL {
    /// Address without user, password and query, which may grant access.
    fileprivate var withoutSecrets: String {
        guard var components = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "the address" }
        (components.user, components.password, components.query, components.fragment) = (nil, nil, nil, nil)
        return components.string ?? "the address"
    }
}
