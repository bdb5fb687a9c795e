internal import FileSystem
internal import Foundation
internal import ProductCatalog

/// Pausing, canceling and resuming of downloads, and what is stored of that for the next launch.
extension ContentDownloads {
    /// Puts a download before all others that have not started, because the customer has just opened its product.
    package func prioritize(_ id: String) {
        order += 1
        jobs[id]?.priority = .opened
        jobs[id]?.order = -order
    }

    /// Pauses a download. Received bytes are kept, and callers that wait for it receive the error `paused`.
    ///
    /// - Throws: ``ContentError`` if the pause cannot be stored for the next launch; the download is paused
    ///   nevertheless.
    package func pause(_ id: String) async throws(ContentError) {
        guard let job = jobs[id], ![.cancelled, .dropped, .paused].contains(job.phase) else { return }
        await stop(job, .pause)
        guard let paused = jobs[id], paused.phase == .paused else { return }
        if let error = paused.unremembered { throw error }
    }

    /// Cancels a download and removes its received bytes.
    ///
    /// - Throws: ``ContentError``: `notFound` if there is none, `inProgress` if another process holds it, `storage`.
    package func cancel(_ id: String) async throws(ContentError) {
        guard let job = jobs[id] else {
            throw ContentError(code: .notFound, reason: "there is no download of \(id)")
        }
        await stop(job, .cancel)
        guard let cancelled = jobs[id], cancelled.phase == .cancelled else { return }
        if let error = cancelled.unremembered { throw error }
    }

    /// Ends a download and removes its received bytes, without storing that: the content is downloaded again on the
    /// next request.
    ///
    /// - Returns: `true` if there was an unfinished download.
    /// - Throws: ``ContentError``: `inProgress` if another process holds it, `storage`.
    package func drop(_ id: String) async throws(ContentError) -> Bool {
        guard let job = jobs[id], job.phase != .dropped else {
            // A download of an earlier process, which has not been resumed.
            guard try directory.downloads().contains(id) else { return false }
            if let error = forget(id) { throw error }
            return true
        }
        await stop(job, .drop)
        guard let dropped = jobs[id], dropped.phase == .dropped else { return false }
        if let error = dropped.unremembered { throw error }
        return true
    }

    /// Resumes a download that is paused, failed or canceled, without a caller that waits for it.
    package func resume(_ id: String) {
        guard var job = jobs[id] else { return }
        if job.phase == .running { job.stop = nil } else { wait(&job) }
        jobs[id] = job
        startNext()
    }

    /// Retries the downloads that wait for the app's permission, for space or for the system.
    package func retryHeld() {
        for (id, job) in jobs where job.phase == .held { resume(id) }
    }

    /// Resumes a download that waits for the system, because bytes have been received.
    package func wake(_ id: String) {
        guard let job = jobs[id] else { return }
        if job.phase == .running { jobs[id]?.isWoken = true }
        if job.phase == .held, job.error?.code == .inProgress { resume(id) }
    }

    /// Products whose download the user has paused or canceled.
    package var stopped: Set<String> {
        Set(jobs.filter { $0.value.phase == .paused || $0.value.phase == .cancelled }.keys)
    }

    /// Stops all downloads before the process ends. Received bytes are kept; the downloads resume at the next launch.
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
        // The download may have started or ended meanwhile.
        guard var job = jobs[id] else { return }
        guard job.phase == .running else {
            settle(&job, stop)
            jobs[id] = job
            return
        }
        // Of several stops before the download has ended, the one that removes most applies, then the one that is
        // stored.
        if stop.rank > job.stop?.rank ?? 0 { jobs[id]?.stop = stop }
        job.transfer?.cancel()
        await job.task?.value
    }

    // MARK: Remembering

    /// Stores the state of a download. Called before callers learn that it is paused or canceled, as the process may
    /// end then.
    ///
    /// - Returns: Error if the state cannot be stored.
    func remember(_ job: DownloadJob, as state: DownloadState) -> ContentError? {
        do throws(ContentError) {
            try write(state, of: job)
            return nil
        } catch {
            return error
        }
    }

    /// Removes the received bytes and the stored state of a download.
    ///
    /// - Returns: Error if they cannot be removed.
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

    /// Finds the downloads of earlier processes, except those that are known already.
    ///
    /// - Parameters:
    ///   - resumes: Resumes downloads that were neither paused nor canceled; otherwise they resume on the next request.
    ///   - wanted: Returns the current request for a product; `nil` for a product that is not the app's any more.
    /// - Throws: ``ContentError`` if the downloads cannot be read.
    package func takeUp(resumes: Bool, _ wanted: @Sendable (String) -> Wanted?) throws(ContentError) {
        for id in try directory.downloads() where jobs[id] == nil {
            guard let wanted = wanted(id), var job = try remembered(wanted) else { continue }
            if resumes, job.phase == .interrupted { wait(&job) }
            jobs[id] = job
        }
        startNext()
    }

    /// Download of a product by an earlier process; `nil` if there is none.
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
