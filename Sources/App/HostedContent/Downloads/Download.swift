internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// A download with its state and the callers that wait for it.
struct Download {
    enum State: Hashable {
        case queued
        case running
        /// The download waits for the app's permission, for free space, or for a background transfer of the system.
        case held(ContentError)
        case paused
        /// The download ended because the process was about to end.
        case interrupted
        /// The download has failed. Without a request of the user, it must not be retried before the date.
        case failed(ContentError, notBefore: Date?)
        case cancelled
        /// The download was removed, with its received bytes. The next request starts it again.
        case dropped
    }

    var request: ContentRequest
    var path: ContentPath
    var priority: DownloadPriority
    /// Position of the download in the queue; of the downloads with equal priority, the one with the lowest position
    /// starts next.
    var order: Int
    var state = State.queued
    /// State that the running download enters at its end, regardless of the transfer's result; `nil` if the state
    /// depends on the result.
    var ending: State?
    /// `true` if a background transfer received bytes just before the download began to wait for it.
    var isWoken = false
    /// Task that downloads and installs the content, canceled to end it.
    var transfer: Task<Result<InstalledContent, ContentError>, Never>?
    /// Task that waits for ``transfer`` and then updates the download with its result.
    var task: Task<Void, Never>?
    /// Number of consecutive attempts that received unusable content.
    var wrongCount = 0
    /// Numbers of the callers that wait for the download.
    var callers: [Int] = []
    /// Error of storing the paused or canceled state; `nil` if the state was stored.
    var storageError: ContentError?

    init(_ wanted: ContentDownloads.Wanted, order: Int) {
        request = wanted.request
        path = wanted.path
        priority = wanted.priority
        self.order = order
    }

    /// Error that stops the download; `nil` if the download is queued or running.
    var error: ContentError? {
        let id = request.productIdentifier
        return switch state {
        case .queued, .running: nil
        case .held(let error), .failed(let error, _): error
        case .paused: ContentError(code: .paused, reason: "the download of \(id) is paused")
        case .interrupted: .stopped(id)
        case .cancelled, .dropped: ContentError(code: .cancelled, reason: "the download of \(id) was cancelled")
        }
    }

    /// Returns the error for a request that does not resume the download; `nil` if the request resumes the download.
    ///
    /// - Parameters:
    ///   - wanted: The new request. Content that was received and rejected is requested again if the catalog now
    ///     requires other content.
    ///   - isUserInitiated: `true` for a request by the user.
    func refusal(of wanted: ContentRequest, isUserInitiated: Bool, at date: Date) -> ContentError? {
        guard !isUserInitiated else { return nil }
        switch state {
        case .paused, .cancelled: return error
        case .failed(let error, let notBefore):
            guard let notBefore, date < notBefore else { return nil }
            return error.isOfContentItself && wanted != request ? nil : error
        case .queued, .running, .held, .interrupted, .dropped: return nil
        }
    }

    static func < (left: Download, right: Download) -> Bool {
        (left.priority, left.order) < (right.priority, right.order)
    }
}

extension Download.State {
    /// Creates the state of a download from its stored record.
    ///
    /// - Parameters:
    ///   - record: Record that an earlier process has stored.
    ///   - request: Present request for the content.
    init(stored record: DownloadFolder.Record, for request: ContentRequest) {
        switch record.state {
        case .cancelled: self = .cancelled
        case .paused: self = .paused
        case .failed:
            guard let error = record.error, let notBefore = record.notBefore, record.progress(with: request) != nil
            else {
                self = .interrupted
                return
            }
            self = .failed(error, notBefore: notBefore)
        case .waiting, .active, .finished: self = .interrupted
        }
    }

    /// `true` for a state that the user has caused: paused, canceled or dropped.
    var isByPerson: Bool {
        switch self {
        case .paused, .cancelled, .dropped: true
        case .queued, .running, .held, .interrupted, .failed: false
        }
    }

    /// Precedence of the state if several states are requested for the end of a running download. States that remove
    /// received bytes have the highest precedence, then states that are stored for the next launch.
    var rank: Int {
        switch self {
        case .dropped: 5
        case .cancelled: 4
        case .paused: 3
        case .held, .failed: 2
        case .interrupted: 1
        case .queued, .running: 0
        }
    }

    /// State as reported to the app, with the reason for waiting and the error.
    var shown: (DownloadState, DownloadWait?, ContentError?) {
        switch self {
        case .queued: (.waiting, .turn, nil)
        case .running: (.active, nil, nil)
        case .held(let error) where error.code == .noSpace: (.waiting, .space, error)
        case .held(let error) where error.code == .inProgress: (.waiting, .otherProcess, nil)
        case .held(let error): (.waiting, .permission(error.reason), nil)
        case .failed(let error, _): (.failed, nil, error)
        case .paused, .interrupted: (.paused, nil, nil)
        case .cancelled, .dropped: (.cancelled, nil, nil)
        }
    }
}

extension ContentError {
    /// `true` for an error of content that was received and cannot be used: the same bytes would fail in the same way.
    var isOfContentItself: Bool { code == .wrongContent || code == .invalidPackage }

    /// Error of content that waits for a newer catalog, because the server's content contradicts the current one.
    var awaitingNewerCatalog: ContentError {
        ContentError(
            code: code, reason: "the content waits for a newer catalog, which it contradicts: \(reason)",
            retryAfter: retryAfter)
    }

    static func beingDownloaded(_ id: String) -> ContentError {
        ContentError(code: .inProgress, reason: "another process is downloading the content of \(id)")
    }

    static func stopped(_ id: String) -> ContentError {
        ContentError(code: .cancelled, reason: "the download of \(id) was stopped")
    }
}

/// Answer of a newer catalog to a request that the content on a server contradicts.
package enum NewerContent: Sendable {
    /// Newer catalogs cannot be requested.
    case none
    /// The server has no newer catalog yet. It is requested again later.
    case awaited
    /// The catalog names other content for the product.
    case other(ContentDownloads.Wanted)
}

/// One attempt to download and install the content of a product.
struct DownloadRun: Sendable {
    let directory: ContentDirectory
    let source: any ContentSource
    let request: ContentRequest
    let path: ContentPath
    let board: DownloadBoard
    let sleep: @Sendable (Duration) async throws -> Void
    /// Function that records installed content, even if another process has installed it.
    let installed: @Sendable (InstalledContent, ContentPath) async throws(ContentError) -> Void

    /// Interval at which the download checks whether another process still has its folder locked.
    private static let patience = Duration.seconds(1)

    /// Downloads and installs the content, unless another process has already installed it.
    ///
    /// - Parameters:
    ///   - length: Known length of the archive in bytes; `nil` if unknown.
    ///   - lengthKnown: Called with the length of the archive in bytes when it becomes known, and each time that it
    ///     changes.
    @concurrent
    func run(
        length: Int?, lengthKnown: @escaping @Sendable (Int) -> Void
    ) async throws(ContentError) -> InstalledContent {
        let id = request.productIdentifier
        let (folder, hold, hasWaited) = try await acquireFolder()
        let content: InstalledContent
        if let others = try await contentOfOthers(hasWaited: hasWaited) {
            content = others
        } else {
            content = try await fetchedContent(in: folder, length: length, lengthKnown)
        }
        try await installed(content, path)
        // A folder that cannot be removed now is removed at a later launch.
        try? directory.removeDownload(for: id, held: hold)
        return content
    }

    /// Waits until no other process has the download's folder locked, and locks the folder for this process.
    ///
    /// - Returns: Folder of the download, the lock on this folder, and `true` if another process had locked the folder
    ///   before.
    private func acquireFolder() async throws(ContentError) -> (DownloadFolder, DownloadFolder.Hold, hasWaited: Bool) {
        let id = request.productIdentifier
        var hasWaited = false
        while true {
            let folder = DownloadFolder(url: try directory.downloadFolder(for: id))
            if let hold = try folder.hold(in: directory.url) { return (folder, hold, hasWaited) }
            hasWaited = true
            board.set(.waiting, of: request, wait: .otherProcess)
            do {
                try await sleep(Self.patience)
            } catch {
                throw .stopped(id)
            }
        }
    }

    /// Returns the requested content if another process has installed it meanwhile; `nil` if it is missing or
    /// incomplete.
    ///
    /// - Parameter hasWaited: `true` if another process had the download's folder locked until now. In this case
    ///   installed content counts as the newest if the catalog names neither version nor digest, because the other
    ///   process has just asked the source for it.
    private func contentOfOthers(hasWaited: Bool) async throws(ContentError) -> InstalledContent? {
        guard let present = try directory.installedContent(at: path),
            present.productIdentifier == request.productIdentifier, request.isMet(by: present) ?? hasWaited,
            try await directory.check(at: path).isWhole
        else { return nil }
        return present
    }

    private func fetchedContent(
        in folder: DownloadFolder, length: Int?, _ lengthKnown: @escaping @Sendable (Int) -> Void
    ) async throws(ContentError) -> InstalledContent {
        let earlier = try folder.progress(with: request, folder.record())
        try folder.write(DownloadFolder.Record(.active, of: request, earlier))
        try FolderTree.makeFolder(folder.bytes)
        return try await directory.install(
            fetch(in: folder.bytes, length: length, lengthKnown), request: request, at: path)
    }

    private func fetch(
        in folder: URL, length: Int?, _ lengthKnown: @escaping @Sendable (Int) -> Void
    ) async throws(ContentError) -> FetchedContent {
        let (board, id) = (board, request.productIdentifier)
        let attempt = board.begin(request)
        let known = Locked(length)
        return try await source.fetch(request, in: folder) { progress in
            board.set(progress, of: id, attempt: attempt)
            guard let total = progress.total else { return }
            let hasChanged = known.withLock { known in
                defer { known = total }
                return known != total
            }
            if hasChanged { lengthKnown(total) }
        }
    }
}
