public import VitrineSupport

/// Error of a configuration with which a server cannot start.
public typealias AppServerConfigurationError = CodedError<AppServerConfigurationErrorCode>

/// Category of ``AppServerConfigurationError``.
public enum AppServerConfigurationErrorCode: String, ErrorCode {
    /// A file does not exist.
    case missingFile = "missing-file"
    /// A file cannot be read.
    case unreadable
    /// Configuration with errors; the context has a line for each of them.
    case invalid

    public typealias Context = [String]

    public var advice: String? {
        switch self {
        case .missingFile: "Check the path."
        case .unreadable: "Check the permissions of the file."
        case .invalid: "Correct what the error names; `vitrine-server serve --check` lists everything that is wrong."
        }
    }
}
