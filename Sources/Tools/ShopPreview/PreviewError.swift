package import VitrineSupport

/// Error that explains why a preview cannot do what was asked, as the rest of a sentence.
package typealias PreviewError = CodedError<PreviewErrorCode>

/// Category of ``PreviewError``.
package enum PreviewErrorCode: String, ErrorCode {
    /// File that does not exist.
    case notFound = "not-found"
    /// File that cannot be read or written.
    case storage
    /// Catalog, `.storekit` file or scenes that cannot be used.
    case unusableData = "unusable-data"
    /// Request with values that are missing, unknown or out of range.
    case invalidRequest = "invalid-request"
    /// More actions or scenes than a preview keeps.
    case tooMany = "too-many"
    /// Preview that was closed.
    case closed

    package var advice: String? {
        switch self {
        case .notFound: "Correct the path."
        case .storage: "Check the permissions of the file and its folder, then try again."
        case .unusableData: "Correct the file at the named line."
        case .invalidRequest: nil
        case .tooMany: "Go back to an earlier step, or delete a scene."
        case .closed: "Start the preview again."
        }
    }
}
