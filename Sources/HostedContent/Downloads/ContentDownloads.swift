package import Foundation
package import ProductCatalog

/// Gets and installs content, some of it at a time, and what is most wanted first.
///
/// Each product has one download, however many ask for it. What has come of it outlives the process; so does that it is
/// paused or was given up.
package actor ContentDownloads {
    /// Content that somebody wants.
    package struct Wanted: Sendable {
        let request: ContentRequest
        let path: ContentPath
        let priority: DownloadPriority

        /// - Parameter path: Where it is to be installed.
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
    private let now: @Sendable () -> Date
    private let sleep: @Sendable (Duration) async throws -> Void
    private let installed: @Sendable (InstalledContent, ContentPath) async throws(ContentError) -> Void
    var jobs: [String: DownloadJob] = [:]
    var isStopped = false
    private var answers = DownloadAnswers()
    var order = 0

    /// - Parameters:
    ///   - now: The time by which speed is reckoned, and a server left alone that wants to be.
    ///   - tell: Is called with each change, in order, and must not come back.
    ///   - installed: Is called with what has been installed, and where, before anybody else hears of it.
    package init(
        directory: ContentDirectory, source: any ContentSource, policy: DownloadPolicy = DownloadPolicy(),
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        tell: @escaping @Sendable (DownloadStatus) -> Void = { _ in },
        installed: @escaping @Sendable (InstalledContent, ContentPath) async throws(ContentError) -> Void = { _, _ in }
    ) {
        self.directory = directory
        self.source = source
        self.policy = policy
        self.now = now
        self.sleep = sleep
        self.installed = installed
        board = DownloadBoard(now: now, tell: tell)
    }

    /// The downloads that anybody has asked for, and those that earlier processes have left.
    package nonisolated var statuses: [DownloadStatus] { board.statuses }

    /// - Returns: `nil` where nobody has asked for one.
    package nonisolated func status(of id: String) -> DownloadStatus? { board.status(of: id) }

    // MARK: Asking

    /// Gets content and installs it. Who asks for what is under way waits for that.
    ///
    /// - Parameter isAsked: A person asks for it now: what is paused or was given up goes on. Otherwise it does not.
    /// - Throws: ``ContentError``: what the source or the installation throws; `paused`, `cancelled`, `notAllowed` or
    ///   `noSpace` where it does not go on by itself now.
    package func content(_ wanted: Wanted, isAsked: Bool) async throws(ContentError) -> InstalledContent {
        try await contents([wanted], isAsked: isAsked)[0].get()
    }

    /// Gets several products' content and installs it.
    ///
    /// - Returns: What ``content(_:isAsked:)`` comes to for each.
    package func contents(_ wanted: [Wanted], isAsked: Bool) async -> [Result<InstalledContent, ContentError>] {
        let numbers = wanted.map { ask(for: $0, isAsked: isAsked) }
        startNext()
        var results: [Result<InstalledContent, ContentError>] = []
        for number in numbers { results.append(await answer(number)) }
        return results
    }

    /// Begins to get content, without anybody who waits for it. What is paused or was given up stays so.
    package func begin(_ wanted: [Wanted]) {
        for wanted in wanted where jobs[wanted.request.productIdentifier]?.phase != .running {
            var job = jobs[wanted.request.productIdentifier] ?? DownloadJob(wanted, order: nextOrder())
            guard job.refusal(isAsked: false, at: now()) == nil else { continue }
            (job.request, job.path) = (wanted.request, wanted.path)
            wait(&job)
            jobs[wanted.request.productIdentifier] = job
        }
        startNext()
    }

    private func ask(for wanted: Wanted, isAsked: Bool) -> Int {
        let number = answers.add()
        let id = wanted.request.productIdentifier
        guard !isStopped else {
            answers.give(.failure(.stopped(id)), to: [number])
            return number
        }
        var job: DownloadJob
        do throws(ContentError) {
            job =
                if let known = jobs[id] { known } else {
                    try remembered(wanted) ?? DownloadJob(wanted, order: nextOrder())
                }
        } catch {
            // It may be paused.
            answers.give(.failure(error), to: [number])
            return number
        }
        if let refusal = job.refusal(isAsked: isAsked, at: now()) {
            answers.give(.failure(refusal), to: [number])
            jobs[id] = job
            return number
        }
        job.callers.append(number)
        job.priority = min(job.priority, wanted.priority)
        if job.phase == .running {
            if isAsked { job.stop = nil }
        } else {
            (job.request, job.path) = (wanted.request, wanted.path)
            wait(&job)
        }
        jobs[id] = job
        return number
    }

    private func answer(_ number: Int) async -> Result<InstalledContent, ContentError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { answers.wait(for: number, $0) }
        } onCancel: {
            Task { await self.leave(number) }
        }
    }

    private func leave(_ number: Int) {
        answers.give(.failure(ContentError(code: .cancelled, reason: "nobody waits for it any more")), to: [number])
    }

    func nextOrder() -> Int {
        order += 1
        return order
    }

    // MARK: Running

    /// Puts a download among those whose turn comes.
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
            let transfer = Task { await result(of: next) }
            jobs[id]?.transfer = transfer
            // What follows from its end is not cancelled with it.
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
            return .success(
                try await run.run { [weak self] total in
                    guard length == nil else { return }
                    Task { await self?.lengthBecameKnown(total, of: id) }
                })
        } catch {
            return .failure(error)
        }
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
            // What was stopped may fail in any way.
            settle(&job, error.code == .cancelled ? stop : stop ?? .fail(error))
            jobs[id] = job
        }
        startNext()
    }

    /// - Parameter stop: What was to become of it; `nil` where it was stopped, and somebody wants it to go on by now.
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
        case .hold(let error): rest(&job, .held, error)
        case .fail(let error) where error.code == .noSpace || error.code == .notAllowed: rest(&job, .held, error)
        case .fail(let error):
            job.notBefore = error.retryAfter.map { now().addingTimeInterval($0) }
            rest(&job, .failed, error)
        }
    }

    /// Whoever waits for it is told why it does not go on now.
    func rest(_ job: inout DownloadJob, _ phase: DownloadJob.Phase, _ error: ContentError) {
        job.phase = phase
        job.error = error
        answers.give(.failure(error), to: job.callers)
        job.callers = []
        switch phase {
        case .held where error.code == .noSpace:
            board.set(.waiting, of: job.request, wait: .space, error: error)
        case .held: board.set(.waiting, of: job.request, wait: .permission(error.reason))
        case .failed: board.set(.failed, of: job.request, error: error)
        case .cancelled: board.set(.cancelled, of: job.request, progress: ContentProgress())
        case .paused, .interrupted, .queued, .running: board.set(.paused, of: job.request)
        }
    }
}
