/// Backups that may take content along although its folder is marked.
public struct BackupGap: Sendable, Hashable, CustomStringConvertible {
    /// Which, and why, as a sentence without its full stop.
    public let description: String
}
