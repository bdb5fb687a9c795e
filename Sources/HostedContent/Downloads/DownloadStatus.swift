public import Foundation

/// How far a download is, in StoreKit's terms.
public enum DownloadState: String, Sendable, Hashable, Codable, CaseIterable {
    /// It begins when something else allows it: ``DownloadStatus/wait`` says what.
    case waiting
    /// Bytes are coming, or what has come is being installed.
    case active
    /// Nothing comes until it is resumed. What has come is kept.
    case paused
    /// The content is installed.
    case finished
    /// It has broken off: ``DownloadStatus/error`` says why. What has come is kept.
    case failed
    /// It was given up, and what had come is removed.
    case cancelled
}

/// What a download waits for.
public enum DownloadWait: Sendable, Hashable {
    /// Others come first.
    case turn
    /// The app allows it; until then, why not, in words.
    case permission(String)
    /// There is room for it.
    case space
    /// Another process has done the same download, or the system goes on with it and nothing comes for the time being.
    case otherProcess
}

/// The download of a product's content, as it is at a moment.
public struct DownloadStatus: Sendable, Hashable, Identifiable {
    /// The product's identifier.
    public let id: String
    /// The version that the catalog asks for; `nil` where it does not say.
    public internal(set) var version: String?
    public internal(set) var state: DownloadState
    /// What it waits for; `nil` unless it is waiting.
    public internal(set) var wait: DownloadWait?
    /// The bytes that are here, and those that there are.
    public internal(set) var progress = ContentProgress()
    /// For how many seconds bytes are going to come, at the speed of the last few; `nil` where nobody can tell.
    public internal(set) var secondsLeft: TimeInterval?
    /// Why it has failed, or waits for space; `nil` otherwise.
    public internal(set) var error: ContentError?

    init(id: String, version: String?, state: DownloadState, wait: DownloadWait? = nil) {
        self.id = id
        self.version = version
        self.state = state
        self.wait = wait
    }

    /// The part of the bytes that is here, from 0 to 1; `nil` while nobody has said how many there are.
    public var fraction: Double? {
        guard let total = progress.total, total > 0 else { return nil }
        return min(1, Double(progress.received) / Double(total))
    }
}
