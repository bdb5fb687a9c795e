public import VitrineSupport

/// Pages of a list from the App Store. Each iteration requests the pages again, one at a time, and ends with the last
/// page or the first error.
public struct AppStoreServerPages<Page: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Page
    public typealias Failure = AppStoreServerError

    /// Function that requests the page after a position; `nil` is the position before the first page. It returns the
    /// page and the position after it; `nil` after the last page.
    typealias Fetch = @Sendable (_ position: String?) async throws(AppStoreServerError) -> (page: Page, next: String?)

    private let position: String?
    private let fetch: Fetch

    init(after position: String?, fetch: @escaping Fetch) {
        self.position = position
        self.fetch = fetch
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(position: position, fetch: fetch) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        private var position: String?
        private var isAtEnd = false
        private let fetch: Fetch

        fileprivate init(position: String?, fetch: @escaping Fetch) {
            self.position = position
            self.fetch = fetch
        }

        /// Requests the next page.
        ///
        /// - Returns: `nil` after the last page, and after an error.
        /// - Throws: ``AppStoreServerError`` if the page could not be obtained. The remaining pages can be requested
        ///   later, with the position of the previous page.
        public mutating func next() async throws(AppStoreServerError) -> Page? {
            guard !isAtEnd else { return nil }
            isAtEnd = true
            let (page, next) = try await fetch(position)
            guard let next else { return page }
            guard next != position else {
                throw AppStoreServerError(
                    code: .format, reason: "the App Store announces another page and names the same page again")
            }
            (position, isAtEnd) = (next, false)
            return page
        }
    }
}
