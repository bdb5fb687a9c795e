internal import Foundation
internal import ProductCatalog

/// A download, and what is to become of it.
struct DownloadJob {
    enum Phase {
        /// Its turn comes.
        case queued
        case running
        /// It waits for the app's permission, for space, or for the system that goes on with it.
        case held
        case paused
        /// A process has ended before it did.
        case interrupted
        case failed
        case cancelled
        /// What had come was removed, and whoever wants it gets it anew.
        case dropped
    }

    /// Why it was stopped.
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
    /// The lower comes first.
    var order: Int
    var phase = Phase.queued
    var stop: Stop?
    /// Something has come while it was about to wait for the system.
    var isWoken = false
    /// Gets and installs it; cancelled where it is stopped.
    var transfer: Task<Result<InstalledContent, ContentError>, Never>?
    /// Ends when what follows from the transfer's end is done.
    var task: Task<Void, Never>?
    /// The numbers of those who wait for it.
    var callers: [Int] = []
    /// Why it does not go on.
    var error: ContentError?
    /// Why the next launch does not know that it is paused or was given up.
    var unremembered: ContentError?
    /// The server does not want to be asked before.
    var notBefore: Date?

    init(_ wanted: ContentDownloads.Wanted, order: Int) {
        request = wanted.request
        path = wanted.path
        priority = wanted.priority
        self.order = order
    }

    /// Why it does not go on though somebody wants it; `nil` where it does.
    ///
    /// - Parameter isAsked: A person asks for it now.
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
