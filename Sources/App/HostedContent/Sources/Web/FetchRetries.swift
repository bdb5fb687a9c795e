internal import Foundation
internal import HTTPTypes
package import VitrineNetworking
internal import VitrineSupport

/// Limits and schedule of the retries of a failed request.
///
/// A request fails after `times` consecutive retries without progress. At least 64 KiB of further bytes count as
/// progress.
package struct FetchRetries: Sendable {
    /// Maximum number of consecutive retries without progress.
    package var times: Int
    /// Maximum `Retry-After` of a server that a retry waits for; the request fails if the server asks for a longer
    /// wait.
    package var patience: Duration
    package var schedule: RetrySchedule

    package init(
        times: Int = 4, patience: Duration = .seconds(10),
        schedule: RetrySchedule = RetrySchedule(first: .milliseconds(500), longest: .seconds(30))
    ) {
        self.times = times
        self.patience = patience
        self.schedule = schedule
    }
}

/// Counter of the consecutive failures of one request.
struct FetchAttempts {
    let retries: FetchRetries
    private var failures = 0

    init(_ retries: FetchRetries) { self.retries = retries }

    /// Resets the number of failures, because bytes were received.
    mutating func reset() { failures = 0 }

    /// Waits until the next attempt of a failed request.
    ///
    /// - Throws: The given error if no further attempt is to be made.
    mutating func wait(after error: ContentError) async throws(ContentError) {
        guard error.code == .network, failures < retries.times else { throw error }
        let asked = Duration.seconds(error.retryAfter ?? 0)
        guard asked <= retries.patience else { throw error }
        do {
            try await retries.schedule.sleep(max(retries.schedule.delay(before: failures), asked))
        } catch {
            throw ContentError(code: .cancelled, reason: "the download was cancelled")
        }
        failures += 1
    }
}

extension ContentError {
    /// Creates the error for a failed request to a web server.
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

    /// `true` if a server's answer and the catalog contradict each other, so that a further request with the same catalog
    /// fails in the same way.
    package var isContradiction: Bool { code == .server || code == .wrongContent }

    /// `true` for an error of one server, in spite of which another server may have the content.
    var isOfOneServer: Bool { [.network, .server, .wrongContent].contains(code) }

    /// Creates one error from the failures of at least one address. Its code is `network` if one of the servers may
    /// answer later.
    init(_ failures: [(url: URL, error: ContentError)]) {
        let errors = failures.map(\.error)
        self.init(
            code: errors.contains { $0.code == .network } ? .network : errors.last?.code ?? .server,
            reason: failures.map { "\(WebAddress.printed($0.url)): \($0.error.reason)" }.joined(separator: "; "),
            retryAfter: errors.contains { $0.code == .network && $0.retryAfter == nil }
                ? nil : errors.compactMap(\.retryAfter).min())
    }
}
