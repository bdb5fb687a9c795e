public import VitrineSupport

/// Error of recording a store, or of replaying a recording.
public typealias StoreRecordingError = CodedError<StoreRecordingErrorCode>

/// Category of ``StoreRecordingError``.
public enum StoreRecordingErrorCode: String, ErrorCode {
    /// A line of the file is not valid in a recording.
    case malformed
    /// A later version has written the recording.
    case newerVersion = "newer-version"
    /// The recording belongs to another app than the store.
    case otherApp = "other-app"
    /// The file is not the store's recording in progress.
    case otherRecording = "other-recording"
    /// Another process records the store.
    case busy
    /// The store that should replay the recording has purchases, or more than its first customer and device.
    case notEmpty = "not-empty"
    /// The store refuses an action of the recording, or the action has another result than the recorded one.
    case refused
    /// The file or the store's state cannot be read or written.
    case storage

    /// Number of the affected line, from 1; `nil` for an error of the whole file.
    public typealias Context = Int?

    public static func location(in context: Int?) -> String? { context.map { "line \($0)" } }

    public var advice: String? {
        switch self {
        case .malformed: "Use the file as it was recorded."
        case .newerVersion: "Update Vitrine to the version that has made the recording."
        case .otherApp: "Create the store with the bundle identifier that the recording names."
        case .otherRecording: "Name a file that does not exist yet."
        case .busy: "End the other process first."
        case .notEmpty: "Create a store in another directory, and replay the recording there."
        case .refused: "Create the store from the .storekit file of the recorded store."
        case .storage: "Check free space and permissions of the directory, then try again."
        }
    }
}

extension CodedError<StoreRecordingErrorCode> {
    init(_ code: StoreRecordingErrorCode, _ reason: String, line: Int? = nil) {
        self.init(code: code, reason: reason, context: line)
    }

    /// Returns the error with the number of a line, unless it already has one.
    func inLine(_ line: Int) -> StoreRecordingError {
        StoreRecordingError(code: code, reason: reason, context: context ?? line)
    }

    /// Calls a function. An error of the store becomes an error with the code `storage`.
    static func mapping<Value: Sendable>(
        _ body: () async throws(SimulatedStoreError) -> Value
    ) async throws(StoreRecordingError) -> Value {
        do {
            return try await body()
        } catch {
            throw StoreRecordingError(.storage, error.reason)
        }
    }
}
