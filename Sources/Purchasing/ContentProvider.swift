public import Receipts

/// Gets the content that bought products need before they can be used.
public protocol ContentProvider: Sendable {
    /// Whether some of what a recorded purchase unlocks has to be got first, which may take long: nothing else waits for
    /// it then. `false` too where that cannot be told: ``installContent(unlockedBy:)`` says why.
    func lacksContent(unlockedBy transaction: SignedTransaction) async -> Bool

    /// Installs what a recorded purchase unlocks and is not installed yet: the content of its product, and of everything
    /// that this contains. Doing it again changes nothing.
    ///
    /// - Returns: The products whose content was installed by this call.
    /// - Throws: ``ContentProviderError`` where some of it is not in place. The transaction then stays with the store.
    func installContent(unlockedBy transaction: SignedTransaction) async throws(ContentProviderError) -> [String]
}

/// Why content is not in place.
public struct ContentProviderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The content cannot be had now, or cannot be used as it is.
        public static let unavailable = Code("unavailable")
        /// Something on this device cannot be read or written: no space, no permission, an I/O error.
        public static let storage = Code("storage")
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}
