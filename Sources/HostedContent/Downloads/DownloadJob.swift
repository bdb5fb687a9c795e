internal import Foundation
internal import ProductCatalog

/// A download with its phase and its waiting callers.
struct DownloadJob {
    enum Phase {
        /// Queued.
        case queued
        case running
        /// Waiting for the app's permission, for space, or for a background transfer of the system.
        case held
        case paused
        /// Ended by the end of an earlier process.
        case interrupted
        case failed
        case cancelled
        /// Removed with its received bytes. The next request starts it again.
        case dropped
    }

    /// Reason for which a running download is stopped.
    enum Stop {
        case pause, cancel, drop, shutDown
        case hold(ContentError)
        case fail(ContentError)

        var isByPerson: Bool {
            switch self {
            case .pause, .cancel, .drop: true
            case .shutDown, .hold, .fail: false
            }
        }

        var rank: Int {
            switch self {
            case .drop: 5
            case .cancel: 4
            case .pause: 3
            case .hold, .fail: 2
            case .shutDown: 1
            }
        }
    }

    var request: ContentRequest
    var path: ContentPath
    var priority: DownloadPriority
    /// Position in the queue; the lowest is next.
    var order: Int
    var phase = Phase.queued
    var stop: Stop?
    /// `true` if bytes were received while the download was about to wait for the system.
    var isWoken = false
    /// Task that downloads and installs the content, canceled by a stop.
    var transfer: Task<Result<InstalledContent, ContentError>, Never>?
    /// Task that ends after the steps that follow the transfer.
    var task: Task<Void, Never>?
    /// Numbers of the waiting callers.
    var callers: [Int] = []
    /// Error for which the download does not continue.
    var error: ContentError?
    /// Error for which the paused or canceled state could not be stored.
    var unremembered: ContentError?
    /// Date before which the server must not be asked again.
    var notBefore: Date?

    init(_ wanted: ContentDownloads.Wanted, order: Int) {
        request = wanted.request
        path = wanted.path
        priority = wanted.priority
        self.order = order
    }

    /// Error for which a request does not continue the download; `nil` if it does.
    ///
    /// - Parameter isAsked: `true` for a request by the user.
    func refusal(isAsked: Bool, at date: Date) -> ContentError? {
        guard !isAsked else { return nil }
        switch phase {
        case .paused, .cancelled: return error
        case .failed: return notBefore.map { date < $0 } ?? false ? error : nil
        case .queued, .running, .held, .interrupted, .dropped: return nil
        }
    }

    static func < (left: DownloadJob, right: DownloadJob) -> Bool {
        (left.priority, left.order) < (right.priority, right.order)
    }
}

extension ContentError {
    static func stopped(_ id: String) -> ContentError {
        ContentError(code: .cancelled, reason: "the download of \(id) was stopped")
    }

    static func paused(_ id: String) -> ContentError {
        ContentError(code: .paused, reason: "the download of \(id) is paused")
    }

    static func cancelled(_ id: String) -> ContentError {
        ContentError(code: .cancelled, reason: "the download of \(id) was cancelled")
    }
}
