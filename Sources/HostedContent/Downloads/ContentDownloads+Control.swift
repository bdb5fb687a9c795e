internal import FileSystem
internal import Foundation
internal import ProductCatalog

/// What is decided about downloads from outside, and remembered for the next launch.
extension ContentDownloads {
    /// What a customer has just opened comes before everything else that has not begun.
    package func prioritize(_ id: String) {
        order += 1
        jobs[id]?.priority = .opened
        jobs[id]?.order = -order
    }

    /// Stops a download. What has come of it is kept, and whoever waits for it is told that it is paused.
    ///
    /// - Throws: ``ContentError`` where that cannot be remembered for the next launch; it is paused all the same.
    package func pause(_ id: String) async throws(ContentError) {
        guard let job = jobs[id], ![.cancelled, .dropped, .paused].contains(job.phase) else { return }
        await stop(job, .pause)
        guard let paused = jobs[id], paused.phase == .paused else { return }
        if let error = paused.unremembered { throw error }
    }

    /// Gives a download up, and removes what has come of it.
    ///
    /// - Throws: ``ContentError``: `notFound` where there is none, `inProgress` where another process has it, `storage`.
    package func cancel(_ id: String) async throws(ContentError) {
        guard let job = jobs[id] else {
            throw ContentError(code: .notFound, reason: "there is no download of \(id)")
        }
        await stop(job, .cancel)
        guard let cancelled = jobs[id], cancelled.phase == .cancelled else { return }
        if let error = cancelled.unremembered { throw error }
    }

    /// Ends a download, and removes what has come of it. Nothing is remembered of that: the content comes anew once
    /// anybody wants it.
    ///
    /// - Returns: Whether there was one that was not finished.
    /// - Throws: ``ContentError``: `inProgress` where another process has it, `storage`.
    package func drop(_ id: String) async throws(ContentError) -> Bool {
        guard let job = jobs[id], job.phase != .dropped else {
            // One that nobody goes on with.
            guard try directory.downloads().contains(id) else { return false }
            if let error = forget(id) { throw error }
            return true
        }
        await stop(job, .drop)
        guard let dropped = jobs[id], dropped.phase == .dropped else { return false }
        if let error = dropped.unremembered { throw error }
        return true
    }

    /// Goes on with what is paused, has failed or was given up, without anybody who waits for it.
    package func resume(_ id: String) {
        guard var job = jobs[id] else { return }
        if job.phase == .running { job.stop = nil } else { wait(&job) }
        jobs[id] = job
        startNext()
    }

    /// Asks again about what waits for the app's permission, for space or for the system.
    package func retryHeld() {
        for (id, job) in jobs where job.phase == .held { resume(id) }
    }

    /// Goes on with what waits for the system, as something has come.
    package func wake(_ id: String) {
        guard let job = jobs[id] else { return }
        if job.phase == .running { jobs[id]?.isWoken = true }
        if job.phase == .held, job.error?.code == .inProgress { resume(id) }
    }

    /// The products whose download a person has paused or given up.
    package var stopped: Set<String> {
        Set(jobs.filter { $0.value.phase == .paused || $0.value.phase == .cancelled }.keys)
    }

    /// Stops everything, for the end of the process: what has come is kept, and goes on at the next launch.
    package func stop() async {
        isStopped = true
        for id in jobs.keys {
            guard let job = jobs[id], job.phase == .queued || job.phase == .running else { continue }
            await stop(job, .shutDown)
        }
    }

    private func stop(_ job: DownloadJob, _ stop: DownloadJob.Stop) async {
        let id = job.request.productIdentifier
        if job.phase != .running, stop.isByPerson { await withdraw(id) }
        // It may have begun or ended meanwhile.
        guard var job = jobs[id] else { return }
        guard job.phase == .running else {
            settle(&job, stop)
            jobs[id] = job
            return
        }
        // Of several that come before it has ended, what removes most counts, and then what has to be remembered.
        if stop.rank > job.stop?.rank ?? 0 { jobs[id]?.stop = stop }
        job.transfer?.cancel()
        await job.task?.value
    }

    // MARK: Remembering

    /// Before anybody hears that it is paused or was given up: the process may end then.
    ///
    /// - Returns: Why that cannot be remembered.
    func remember(_ job: DownloadJob, as state: DownloadState) -> ContentError? {
        do throws(ContentError) {
            try write(state, of: job)
            return nil
        } catch {
            return error
        }
    }

    /// Removes what has come of a download, and what is remembered of it.
    ///
    /// - Returns: Why that cannot be.
    func forget(_ id: String) -> ContentError? {
        do throws(ContentError) {
            guard try directory.downloads().contains(id) else { return nil }
            let folder = DownloadFolder(url: try directory.downloadFolder(for: id))
            guard let hold = try folder.hold(in: directory.url) else {
                throw ContentError(code: .inProgress, reason: "another process is downloading \(id)")
            }
            try directory.removeDownload(for: id, held: hold)
            return nil
        } catch {
            return error
        }
    }

    private func write(_ state: DownloadState, of job: DownloadJob) throws(ContentError) {
        let id = job.request.productIdentifier
        let folder = DownloadFolder(url: try directory.downloadFolder(for: id))
        guard let hold = try folder.hold(in: directory.url) else {
            throw ContentError(code: .inProgress, reason: "another process is downloading \(id)")
        }
        defer { withExtendedLifetime(hold) {} }
        if state == .cancelled { try FolderTree.remove(folder.bytes) }
        let progress = board.status(of: id)?.progress ?? ContentProgress()
        try folder.write(DownloadFolder.Record(state, of: job.request, progress))
    }

    /// Finds the downloads that earlier processes have left. What is known already is not looked at again.
    ///
    /// - Parameters:
    ///   - resumes: What was neither paused nor given up goes on; otherwise once somebody asks for it.
    ///   - wanted: What is asked for now for a product; `nil` for one that is none of ours any more.
    /// - Throws: ``ContentError`` where they cannot be looked at.
    package func takeUp(resumes: Bool, _ wanted: @Sendable (String) -> Wanted?) throws(ContentError) {
        for id in try directory.downloads() where jobs[id] == nil {
            guard let wanted = wanted(id), var job = try remembered(wanted) else { continue }
            if resumes, job.phase == .interrupted { wait(&job) }
            jobs[id] = job
        }
        startNext()
    }

    /// The download that an earlier process has left for a product; `nil` where none has.
    func remembered(_ wanted: Wanted) throws(ContentError) -> DownloadJob? {
        let id = wanted.request.productIdentifier
        guard try directory.downloads().contains(id) else { return nil }
        let folder = DownloadFolder(url: try directory.downloadFolder(for: id))
        guard let record = try folder.record() else { return nil }
        var job = DownloadJob(wanted, order: nextOrder())
        board.set(.paused, of: job.request, progress: try folder.progress(with: job.request, record))
        switch record.state {
        case .cancelled: rest(&job, .cancelled, .cancelled(id))
        case .paused: rest(&job, .paused, .paused(id))
        case .waiting, .active, .finished, .failed: rest(&job, .interrupted, .stopped(id))
        }
        return job
    }
}
