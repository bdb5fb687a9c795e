public import Receipts

/// Provider of the content that purchased products require before they can be used.
public protocol ContentProvider: Sendable {
    /// Returns `true` if content that a recorded purchase unlocks must be downloaded first, which may take long:
    /// nothing else waits for it then. Returns `false` also if this cannot be determined:
    /// ``installContent(unlockedBy:)`` then throws the cause.
    func lacksContent(unlockedBy transaction: SignedTransaction) async -> Bool

    /// Installs the missing content that a recorded purchase unlocks: the content of its product, and of all products
    /// that this contains. Calling it again changes nothing.
    ///
    /// - Returns: The products whose content was installed by this call.
    /// - Throws: ``ContentProviderError`` if some of the content is not installed. The transaction then stays with the
    ///   store.
    func installContent(unlockedBy transaction: SignedTransaction) async throws(ContentProviderError) -> [String]
}

/// Error of installing content.
public struct ContentProviderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Category of a content error. Later versions may add more.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The content is unavailable now, or cannot be used as it is.
        public static let unavailable = Code("unavailable")
        /// Data on this device cannot be read or written: no space, no permission, an I/O error.
        public static let storage = Code("storage")
    }

    public let code: Code
    /// Description of the error, as a sentence without capital letter and period.
    public let reason: String

    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
