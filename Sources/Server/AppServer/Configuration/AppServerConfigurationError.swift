public import VitrineSupport

/// Error of a configuration that prevents the start of a server.
public typealias AppServerConfigurationError = CodedError<AppServerConfigurationErrorCode>

/// Category of ``AppServerConfigurationError``.
public enum AppServerConfigurationErrorCode: String, ErrorCode {
    /// The configuration file does not exist.
    case missingFile = "missing-file"
    /// The configuration file cannot be read.
    case unreadable
    /// The configuration has errors; the context has one line for each.
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
