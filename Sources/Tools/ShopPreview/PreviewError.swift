package import VitrineSupport

/// Error of a preview, with a reason as the rest of a sentence.
package typealias PreviewError = CodedError<PreviewErrorCode>

/// Category of ``PreviewError``.
package enum PreviewErrorCode: String, ErrorCode {
    /// A file does not exist.
    case notFound = "not-found"
    /// A file cannot be read or written.
    case storage
    /// The catalog, `.storekit` file or file of scenes is unusable.
    case unusableData = "unusable-data"
    /// A value in the request is missing, unknown or out of range.
    case invalidRequest = "invalid-request"
    /// The preview has reached its maximum number of actions or scenes.
    case tooMany = "too-many"
    /// The preview is closed.
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
