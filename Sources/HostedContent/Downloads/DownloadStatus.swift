public import Foundation

/// State of a download, in StoreKit's terms.
public enum DownloadState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Waiting to start or continue; ``DownloadStatus/wait`` has the reason.
    case waiting
    /// Receiving bytes, or installing them.
    case active
    /// Paused until it is resumed. Received bytes are kept.
    case paused
    /// The content is installed.
    case finished
    /// Failed with ``DownloadStatus/error``. Received bytes are kept.
    case failed
    /// Canceled. Received bytes are removed.
    case cancelled
}

/// Reason for which a download waits.
public enum DownloadWait: Sendable, Hashable {
    /// Other downloads are running.
    case turn
    /// The app does not permit it, for a reason to be shown.
    case permission(String)
    /// There is too little free space.
    case space
    /// Another process is downloading the same content, or a background transfer of the system receives nothing for
    /// now.
    case otherProcess
}

/// Status of the download of a product's content.
public struct DownloadStatus: Sendable, Hashable, Identifiable {
    /// Product identifier.
    public let id: String
    /// Version that the catalog requires; `nil` if it names none.
    public internal(set) var version: String?
    public internal(set) var state: DownloadState
    /// Reason for waiting; `nil` in other states.
    public internal(set) var wait: DownloadWait?
    /// Received and total bytes.
    public internal(set) var progress = ContentProgress()
    /// Estimated number of seconds until all bytes are received, at the current speed; `nil` if unknown.
    public internal(set) var secondsLeft: TimeInterval?
    /// Error of a download that has failed or waits for space; `nil` otherwise.
    public internal(set) var error: ContentError?

    init(id: String, version: String?, state: DownloadState, wait: DownloadWait? = nil) {
        self.id = id
        self.version = version
        self.state = state
        self.wait = wait
    }

    /// Received part of the bytes, from 0 to 1; `nil` while the total is unknown.
    public var fraction: Double? {
        guard let total = progress.total, total > 0 else { return nil }
        return min(1, Double(progress.received) / Double(total))
    }
}
