internal import Foundation
internal import HostedContent

struct NoWeb: ContentSource {
    func fetch(
        _ request: ContentRequest, in folder: URL, progress: @escaping @Sendable (ContentProgress) -> Void
    ) async throws(ContentError) -> FetchedContent { throw ContentError(code: .server, reason: "no web") }
}
