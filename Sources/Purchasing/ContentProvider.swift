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
public typealias ContentProviderError = CodedError<ContentProviderErrorCode>

/// Category of ``ContentProviderError``.
public enum ContentProviderErrorCode: String, ErrorCode {
    /// The content is unavailable now, or cannot be used as it is.
    case unavailable
    /// Data on this device cannot be read or written: no space, no permission, an I/O error.
    case storage

    public var advice: String? {
        switch self {
        case .unavailable: "Connect to the internet and try again later. The purchase is kept."
        case .storage: "Free space on the device. The purchase is kept."
        }
    }
}
