package import Foundation
package import VitrineCatalog
internal import VitrineSupport

/// Queue that downloads and installs content, a limited number of products at a time, in the order of their priority.
///
/// Each product has one download, shared by all requests for it. Received bytes and the paused or canceled state are
/// stored for later processes.
package actor ContentDownloads {
    /// Content to be downloaded and installed.
    package struct Wanted: Sendable {
        package let request: ContentRequest
        let path: ContentPath
        let priority: DownloadPriority

        /// Creates the description of content to download.
        ///
        /// - Parameter path: Path at which the content is installed.
        package init(_ request: ContentRequest, at path: ContentPath, priority: DownloadPriority = .wanted) {
            self.request = request
            self.path = path
            self.priority = priority
        }
    }

    let directory: ContentDirectory
    let policy: DownloadPolicy
    nonisolated let board: DownloadBoard
    private let source: any ContentSource
    let now: @Sendable () -> Date
    private let sleep: @Sendable (Duration) async throws -> Void
    let withdraw: @Sendable (String) async -> Void
    private let installed: @Sendable (InstalledContent, ContentPath) async throws(ContentError) -> Void
    private let makeRoom: @concurrent @Sendable (Set<ContentPath>) async -> Void
    var downloads: [String: Download] = [:]
    var isStopped = false
    var answers = DownloadAnswers()
    var order = 0
    private var newerContent: @Sendable (ContentRequest) async -> NewerContent = { _ in .none }

    /// Creates the queue of downloads into a content directory.
    ///
    /// - Parameters:
    ///   - now: Clock for the speed of downloads and for `Retry-After` of servers.
    ///   - sleep: Function that waits for a duration: while another process downloads the same content, and until
    ///     progress may be reported again.
    ///   - send: Called with the new status at each change of a download, in the order of the changes; must not call
    ///     a function of this actor.
    ///   - withdraw: Ends the background transfers of a product whose download the user has paused or canceled.
    ///   - installed: Called with installed content and its path before callers get it; called again for the same
    ///     content if another process has installed it, or if an earlier attempt ended directly after the installation.
    ///   - makeRoom: Called after `installed`, to remove other content; its argument is the paths of all running and
    ///     queued downloads, whose content must stay, including the one just installed.
    package init(
        directory: ContentDirectory, source: any ContentSource, policy: DownloadPolicy = DownloadPolicy(),
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        send: @escaping @Sendable (DownloadStatus) -> Void = { _ in },
        withdraw: @escaping @Sendable (String) async -> Void = { _ in },
        installed: @escaping @Sendable (InstalledContent, ContentPath) async throws(ContentError) -> Void = { _, _ in },
        makeRoom: @escaping @concurrent @Sendable (Set<ContentPath>) async -> Void = { _ in }
    ) {
        self.directory = directory
        self.source = source
        self.policy = policy
        self.now = now
        self.sleep = sleep
        self.withdraw = withdraw
        self.installed = installed
        self.makeRoom = makeRoom
        board = DownloadBoard(now: now, sleep: sleep, send: send)
    }

    /// Statuses of all downloads that were requested in this process or are left from earlier processes.
    package nonisolated var statuses: [DownloadStatus] { board.statuses }

    /// Returns the status of the download of a product.
    ///
    /// - Returns: `nil` if none was requested.
    package nonisolated func status(of id: String) -> DownloadStatus? { board.status(of: id) }

    /// Sets the function that requests a newer catalog when the content on a server contradicts a request.
    package func onContradiction(_ newerContent: @escaping @Sendable (ContentRequest) async -> NewerContent) {
        self.newerContent = newerContent
    }

    func nextOrder() -> Int {
        order += 1
        return order
    }

    // MARK: Running

    /// Puts a download into the queue, to be started when its turn comes.
    func wait(_ download: inout Download) {
        download.state = .queued
        let id = download.request.productIdentifier
        let others = downloads.lazy.filter { $0.key != id && [.queued, .running].contains($0.value.state) }
        let isNext = others.prefix(policy.mostAtOnce).count < policy.mostAtOnce
        board.set(.waiting, of: download.request, wait: isNext ? nil : .turn)
    }

    private func show(_ download: Download, progress: ContentProgress? = nil) {
        let (state, wait, error) = download.state.shown
        board.set(state, of: download.request, wait: wait, error: error, progress: progress)
    }

    func startNext() {
        guard !isStopped else { return }
        var running = downloads.values.count { $0.state == .running }
        while running < policy.mostAtOnce,
            let next = downloads.values.filter({ $0.state == .queued }).min(by: { $0 < $1 })
        {
            let id = next.request.productIdentifier
            running += 1
            downloads[id]?.state = .running
            downloads[id]?.ending = nil
            downloads[id]?.isWoken = false
            let transfer = Task { await result(of: next) }
            downloads[id]?.transfer = transfer
            // The steps after the transfer's end are not canceled with it.
            downloads[id]?.task = Task { ended(id, await transfer.value) }
        }
    }

    /// Downloads and installs content. If the content on the server contradicts the request, a newer catalog is asked
    /// once for another request.
    private func result(of download: Download) async -> Result<InstalledContent, ContentError> {
        let result = await attempt(download)
        guard case .failure(let error) = result, error.isContradiction, !download.request.urls.isEmpty,
            !Task.isCancelled
        else { return result }
        switch await newerContent(download.request) {
        case .none: return result
        case .awaited: return .failure(error.awaitingNewerCatalog)
        case .other(let wanted):
            let id = wanted.request.productIdentifier
            guard downloads[id]?.state == .running else { return result }
            downloads[id]?.request = wanted.request
            downloads[id]?.path = wanted.path
            let second = await attempt(Download(wanted, order: download.order))
            guard case .failure(let error) = second, error.isContradiction else { return second }
            return .failure(error.awaitingNewerCatalog)
        }
    }

    private func attempt(_ download: Download) async -> Result<InstalledContent, ContentError> {
        let id = download.request.productIdentifier
        do throws(ContentError) {
            let length = board.status(of: id)?.progress.total
            try await checkPermission(of: download.request, length: length)
            guard !Task.isCancelled else { throw .stopped(id) }
            let run = DownloadRun(
                directory: directory, source: source, request: download.request, path: download.path, board: board,
                sleep: sleep, installed: installed)
            let content = try await run.run(length: length) { [weak self] total in
                Task { await self?.lengthBecameKnown(total, of: id) }
            }
            await makeRoom(activePaths)
            return .success(content)
        } catch {
            return .failure(error)
        }
    }

    /// Interval in seconds until content that was received and rejected twice is downloaded again without a request of
    /// the user. It is one day, because the file on the server may be correct by then, and each attempt may fetch all
    /// of it.
    private static let patienceWithWrongContent: TimeInterval? = 86_400

    private var activePaths: Set<ContentPath> {
        Set(downloads.values.filter { [.running, .queued].contains($0.state) }.map(\.path))
    }

    private func checkPermission(of request: ContentRequest, length: Int?) async throws(ContentError) {
        if case .notNow(let reason) = await policy.permission?(request, length) ?? .allowed {
            throw ContentError(code: .notAllowed, reason: reason)
        }
    }

    private func lengthBecameKnown(_ length: Int, of id: String) async {
        guard let download = downloads[id], download.state == .running else { return }
        do {
            try await checkPermission(of: download.request, length: length)
        } catch {
            guard downloads[id]?.state == .running, downloads[id]?.ending == nil else { return }
            downloads[id]?.ending = .held(error)
            downloads[id]?.transfer?.cancel()
        }
    }

    private func ended(_ id: String, _ result: Result<InstalledContent, ContentError>) {
        guard var download = downloads[id] else { return }
        let ending = download.ending
        (download.transfer, download.task, download.ending) = (nil, nil, nil)
        switch result {
        case .success:
            downloads[id] = nil
            board.set(.finished, of: download.request)
            answers.give(result, to: download.callers)
        case .failure(let error):
            // A stopped transfer may fail with any error.
            // Wrong content is counted only if bytes of it were downloaded: nothing else is costly to request again.
            let isWrong =
                error.isOfContentItself && !download.request.urls.isEmpty
                && board.status(of: id)?.progress.received ?? 0 > 0
            download.wrongCount = isWrong ? download.wrongCount + 1 : 0
            settle(&download, error.code == .cancelled ? ending : ending ?? state(of: download, after: error))
            downloads[id] = download
        }
        startNext()
    }

    private func state(of download: Download, after error: ContentError) -> Download.State {
        switch error.code {
        case .inProgress where download.isWoken: .queued
        case .noSpace, .notAllowed, .inProgress: .held(error)
        default:
            .failed(
                error,
                notBefore: (download.wrongCount > 1 ? Self.patienceWithWrongContent : error.retryAfter)
                    .map { now().addingTimeInterval($0) })
        }
    }

    /// Ends the current attempt of a download, and stores the download's state before the waiting callers receive the
    /// result.
    ///
    /// - Parameter state: New state; `nil` if the download was stopped and has been requested again since.
    func settle(_ download: inout Download, _ state: Download.State?) {
        let state = state ?? (isStopped ? .interrupted : .queued)
        switch state {
        case .queued, .running: return wait(&download)
        case .paused: download.storageError = remember(download, as: .paused)
        case .cancelled: download.storageError = remember(download, as: .cancelled)
        case .dropped: download.storageError = forget(download.request.productIdentifier)
        case .failed(let error, let notBefore) where download.wrongCount > 0:
            download.storageError = remember(download, as: .failed, error: error, notBefore: notBefore)
        case .held, .interrupted, .failed: break
        }
        rest(&download, state)
    }

    /// Sets the state of a download that is not running any more, and gives the result to the callers that wait for the
    /// download.
    func rest(_ download: inout Download, _ state: Download.State) {
        download.state = state
        if let error = download.error { answers.give(.failure(error), to: download.callers) }
        download.callers = []
        show(download, progress: state.shown.0 == .cancelled ? ContentProgress() : nil)
    }
}
