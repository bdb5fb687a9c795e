package import Foundation
package import ProductCatalog

/// Downloads and installs content, a limited number of products at a time, in the order of their priority.
///
/// Each product has one download, shared by all requests for it. Its received bytes outlive the process, and so does
/// the state of being paused or canceled.
package actor ContentDownloads {
    /// Content to be downloaded and installed.
    package struct Wanted: Sendable {
        let request: ContentRequest
        let path: ContentPath
        let priority: DownloadPriority

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
    var jobs: [String: DownloadJob] = [:]
    var isStopped = false
    var answers = DownloadAnswers()
    var order = 0

    /// - Parameters:
    ///   - now: Clock for the speed of downloads and for `Retry-After` of servers.
    ///   - sleep: Waits while another process holds a download, and until progress may be reported again.
    ///   - tell: Called with each change, in order. Must not call back.
    ///   - withdraw: Ends the background transfers of a product whose download the user has paused or canceled.
    ///   - installed: Called with installed content and its path before callers get it; called again for the same
    ///     content if another process has installed it, or the last attempt ended right then.
    ///   - makeRoom: Called after that, with the paths of all running and queued downloads, this one included.
    package init(
        directory: ContentDirectory, source: any ContentSource, policy: DownloadPolicy = DownloadPolicy(),
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        tell: @escaping @Sendable (DownloadStatus) -> Void = { _ in },
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
        board = DownloadBoard(now: now, sleep: sleep, tell: tell)
    }

    /// Downloads that were requested, and those of earlier processes.
    package nonisolated var statuses: [DownloadStatus] { board.statuses }

    /// - Returns: `nil` if none was requested.
    package nonisolated func status(of id: String) -> DownloadStatus? { board.status(of: id) }

    func nextOrder() -> Int {
        order += 1
        return order
    }

    // MARK: Running

    /// Queues a download.
    func wait(_ job: inout DownloadJob) {
        job.phase = .queued
        board.set(.waiting, of: job.request, wait: .turn)
    }

    func startNext() {
        guard !isStopped else { return }
        var running = jobs.values.count { $0.phase == .running }
        while running < policy.mostAtOnce, let next = jobs.values.filter({ $0.phase == .queued }).min(by: { $0 < $1 }) {
            let id = next.request.productIdentifier
            running += 1
            jobs[id]?.phase = .running
            jobs[id]?.stop = nil
            jobs[id]?.isWoken = false
            let transfer = Task { await result(of: next) }
            jobs[id]?.transfer = transfer
            // The steps after the transfer's end are not canceled with it.
            jobs[id]?.task = Task { ended(id, await transfer.value) }
        }
    }

    private func result(of job: DownloadJob) async -> Result<InstalledContent, ContentError> {
        let id = job.request.productIdentifier
        do throws(ContentError) {
            let length = board.status(of: id)?.progress.total
            try await checkPermission(of: job.request, length: length)
            guard !Task.isCancelled else { throw .stopped(id) }
            let run = DownloadRun(
                directory: directory, source: source, request: job.request, path: job.path, board: board, sleep: sleep,
                installed: installed)
            let content = try await run.run(length: length) { [weak self] total in
                Task { await self?.lengthBecameKnown(total, of: id) }
            }
            await makeRoom(placesInWork)
            return .success(content)
        } catch {
            return .failure(error)
        }
    }

    private var placesInWork: Set<ContentPath> {
        Set(jobs.values.filter { $0.phase == .running || $0.phase == .queued }.map(\.path))
    }

    private func checkPermission(of request: ContentRequest, length: Int?) async throws(ContentError) {
        if case .notNow(let reason) = await policy.permission?(request, length) ?? .allowed {
            throw ContentError(code: .notAllowed, reason: reason)
        }
    }

    private func lengthBecameKnown(_ length: Int, of id: String) async {
        guard let job = jobs[id], job.phase == .running else { return }
        do {
            try await checkPermission(of: job.request, length: length)
        } catch {
            guard jobs[id]?.phase == .running, jobs[id]?.stop == nil else { return }
            jobs[id]?.stop = .hold(error)
            jobs[id]?.transfer?.cancel()
        }
    }

    private func ended(_ id: String, _ result: Result<InstalledContent, ContentError>) {
        guard var job = jobs[id] else { return }
        let stop = job.stop
        (job.transfer, job.task, job.stop) = (nil, nil, nil)
        switch result {
        case .success:
            jobs[id] = nil
            board.set(.finished, of: job.request)
            answers.give(result, to: job.callers)
        case .failure(let error):
            // A stopped transfer may fail with any error.
            settle(&job, error.code == .cancelled ? stop : stop ?? .fail(error))
            jobs[id] = job
        }
        startNext()
    }

    /// - Parameter stop: Reason of the stop; `nil` if the download was stopped and has been requested again since.
    func settle(_ job: inout DownloadJob, _ stop: DownloadJob.Stop?) {
        let id = job.request.productIdentifier
        switch stop {
        case nil where !isStopped: return wait(&job)
        case nil, .shutDown: rest(&job, .interrupted, .stopped(id))
        case .pause:
            job.unremembered = remember(job, as: .paused)
            rest(&job, .paused, .paused(id))
        case .cancel:
            job.unremembered = remember(job, as: .cancelled)
            rest(&job, .cancelled, .cancelled(id))
        case .drop:
            job.unremembered = forget(id)
            rest(&job, .dropped, .cancelled(id))
        case .hold(let error): rest(&job, .held, error)
        case .fail(let error) where error.code == .inProgress && job.isWoken: return wait(&job)
        case .fail(let error) where [.noSpace, .notAllowed, .inProgress].contains(error.code):
            rest(&job, .held, error)
        case .fail(let error):
            job.notBefore = error.retryAfter.map { now().addingTimeInterval($0) }
            rest(&job, .failed, error)
        }
    }

    /// Ends a download for now, with an error for all callers that wait for it.
    func rest(_ job: inout DownloadJob, _ phase: DownloadJob.Phase, _ error: ContentError) {
        job.phase = phase
        job.error = error
        answers.give(.failure(error), to: job.callers)
        job.callers = []
        switch phase {
        case .held where error.code == .noSpace:
            board.set(.waiting, of: job.request, wait: .space, error: error)
        case .held where error.code == .inProgress: board.set(.waiting, of: job.request, wait: .otherProcess)
        case .held: board.set(.waiting, of: job.request, wait: .permission(error.reason))
        case .failed: board.set(.failed, of: job.request, error: error)
        case .cancelled, .dropped: board.set(.cancelled, of: job.request, progress: ContentProgress())
        case .paused, .interrupted, .queued, .running: board.set(.paused, of: job.request)
        }
    }
}
