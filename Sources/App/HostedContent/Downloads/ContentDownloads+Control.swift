internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// Operations that pause, cancel and resume downloads, and store these states for the next launch.
extension ContentDownloads {
    /// Moves a download ahead of all others that have not started, because the customer has just opened the screen of
    /// its product.
    package func prioritize(_ id: String) {
        order += 1
        downloads[id]?.priority = .opened
        downloads[id]?.order = -order
    }

    /// Pauses a download. Received bytes remain stored, and callers that wait for the download receive the error
    /// `paused`.
    ///
    /// - Throws: ``ContentError`` if the pause cannot be stored for the next launch; the download is paused
    ///   nevertheless.
    package func pause(_ id: String) async throws(ContentError) {
        guard let download = downloads[id], ![.cancelled, .dropped, .paused].contains(download.state) else { return }
        await stop(download, .paused)
        guard let paused = downloads[id], paused.state == .paused else { return }
        if let error = paused.storageError { throw error }
    }

    /// Cancels a download and removes its received bytes.
    ///
    /// - Throws: ``ContentError``: `notFound` if there is no unfinished download, `inProgress` if another process is
    ///   downloading the content, `storage`.
    package func cancel(_ id: String) async throws(ContentError) {
        guard let download = downloads[id] else {
            throw ContentError(code: .notFound, reason: "there is no unfinished download of the content of \(id)")
        }
        await stop(download, .cancelled)
        guard let cancelled = downloads[id], cancelled.state == .cancelled else { return }
        if let error = cancelled.storageError { throw error }
    }

    /// Ends a download and removes its received bytes. Unlike after ``cancel(_:)``, the next request downloads the
    /// content again, because the end is not stored.
    ///
    /// - Returns: `true` if there was an unfinished download.
    /// - Throws: ``ContentError``: `inProgress` if another process is downloading the content, `storage`.
    package func drop(_ id: String) async throws(ContentError) -> Bool {
        guard let download = downloads[id], download.state != .dropped else {
            // A download of an earlier process, which has not been resumed.
            guard try directory.downloads().contains(id) else { return false }
            if let error = forget(id) { throw error }
            return true
        }
        await stop(download, .dropped)
        guard let dropped = downloads[id], dropped.state == .dropped else { return false }
        if let error = dropped.storageError { throw error }
        return true
    }

    /// Resumes a download that is paused, failed or canceled, and does not wait for its result.
    ///
    /// - Parameter wanted: Content that the present catalog requires; `nil` to repeat the earlier request.
    package func resume(_ id: String, as wanted: Wanted? = nil) {
        guard var download = downloads[id] else { return }
        if download.state == .running {
            download.ending = nil
        } else {
            if let wanted { (download.request, download.path) = (wanted.request, wanted.path) }
            wait(&download)
        }
        downloads[id] = download
        startNext()
    }

    /// Retries the downloads that wait for the app's permission, for free space, or for a background transfer of the
    /// system.
    ///
    /// - Parameter wanted: Returns the content of a product that the present catalog requires, as for
    ///   ``resume(_:as:)``.
    package func retryHeld(as wanted: @Sendable (String) -> Wanted? = { _ in nil }) {
        for (id, download) in downloads {
            if case .held = download.state { resume(id, as: wanted(id)) }
        }
    }

    /// Resumes a download that waits for a background transfer of the system, because the transfer has received bytes.
    package func wake(_ id: String) {
        guard let download = downloads[id] else { return }
        if download.state == .running { downloads[id]?.isWoken = true }
        if case .held(let error) = download.state, error.code == .inProgress { resume(id) }
    }

    /// Permits the next request to restart downloads that were canceled, or that failed because of wrong content.
    package func allow(_ ids: [String]) {
        for id in ids {
            switch downloads[id]?.state {
            case .cancelled: downloads[id]?.state = .interrupted
            case .failed(let error, _) where error.isOfContentItself: downloads[id]?.state = .interrupted
            default: continue
            }
        }
    }

    /// Returns `true` if the user has canceled the download of a product.
    package func isCancelled(_ id: String) -> Bool { downloads[id]?.state == .cancelled }

    /// Products whose download the user has paused or canceled.
    package var stopped: Set<String> {
        Set(downloads.filter { $0.value.state == .paused || $0.value.state == .cancelled }.keys)
    }

    /// Stops all downloads before the process ends. Received bytes remain stored; the downloads resume at the next
    /// launch.
    package func stop() async {
        isStopped = true
        for id in downloads.keys {
            guard let download = downloads[id], [.queued, .running].contains(download.state) else { continue }
            await stop(download, .interrupted)
        }
    }

    private func stop(_ download: Download, _ ending: Download.State) async {
        let id = download.request.productIdentifier
        if download.state != .running, ending.isByPerson { await withdraw(id) }
        // The download may have started or ended meanwhile.
        guard var download = downloads[id] else { return }
        guard download.state == .running else {
            settle(&download, ending)
            downloads[id] = download
            return
        }
        if ending.rank > download.ending?.rank ?? 0 { downloads[id]?.ending = ending }
        download.transfer?.cancel()
        await download.task?.value
    }

    // MARK: Stored states

    /// Stores the state of a download for later launches. Called before the callers that wait for the download learn
    /// that it is paused, canceled or failed, because the process may end as soon as they know.
    ///
    /// - Parameters:
    ///   - error: Error of rejected content; `nil` for a download that the user has paused or canceled.
    ///   - notBefore: Date before which the content is downloaded again only if the user requests it.
    /// - Returns: Error of storing the state; `nil` if the state was stored.
    func remember(
        _ download: Download, as state: DownloadState, error: ContentError? = nil, notBefore: Date? = nil
    ) -> ContentError? {
        let id = download.request.productIdentifier
        do throws(ContentError) {
            let folder = DownloadFolder(url: try directory.downloadFolder(for: id))
            guard let hold = try folder.hold(in: directory.url) else { return .beingDownloaded(id) }
            defer { withExtendedLifetime(hold) {} }
            if state == .cancelled { try FolderTree.remove(folder.bytes) }
            let progress = board.status(of: id)?.progress ?? ContentProgress()
            var record = DownloadFolder.Record(state, of: download.request, progress)
            (record.code, record.reason, record.notBefore) = (error?.code.rawValue, error?.reason, notBefore)
            record.wrongCount = download.wrongCount
            try folder.write(record)
            return nil
        } catch {
            return error
        }
    }

    /// Removes the received bytes of a download and its stored state.
    ///
    /// - Returns: Error of removing them; `nil` if they were removed.
    func forget(_ id: String) -> ContentError? {
        do throws(ContentError) {
            guard try directory.downloads().contains(id) else { return nil }
            let folder = DownloadFolder(url: try directory.downloadFolder(for: id))
            guard let hold = try folder.hold(in: directory.url) else { return .beingDownloaded(id) }
            try directory.removeDownload(for: id, held: hold)
            return nil
        } catch {
            return error
        }
    }

    /// Finds the downloads of earlier processes, except those that this process has already found or started.
    ///
    /// - Parameters:
    ///   - resumes: Resumes downloads that were neither paused nor canceled; otherwise they resume on the next request.
    ///   - wanted: Returns the current request for a product; `nil` for a product that the app no longer has.
    /// - Throws: ``ContentError`` if the downloads cannot be read.
    package func restoreStored(resumes: Bool, _ wanted: @Sendable (String) -> Wanted?) throws(ContentError) {
        for id in try directory.downloads() where downloads[id] == nil {
            guard let wanted = wanted(id), var download = try remembered(wanted) else { continue }
            if resumes, download.state == .interrupted { wait(&download) }
            downloads[id] = download
        }
        startNext()
    }

    /// Returns the download of a product that an earlier process has started; `nil` if there is none.
    func remembered(_ wanted: Wanted) throws(ContentError) -> Download? {
        let id = wanted.request.productIdentifier
        guard try directory.downloads().contains(id) else { return nil }
        let folder = DownloadFolder(url: try directory.downloadFolder(for: id))
        guard let record = try folder.record() else { return nil }
        var download = Download(wanted, order: nextOrder())
        board.set(.paused, of: download.request, progress: try folder.progress(with: download.request, record))
        if record.progress(with: download.request) != nil { download.wrongCount = record.wrongCount ?? 0 }
        rest(&download, Download.State(stored: record, for: wanted.request))
        return download
    }
}
