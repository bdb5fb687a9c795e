internal import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Requests for content and their results.
extension ContentDownloads {
    /// Downloads and installs content. A request for content that is being downloaded waits for that download.
    ///
    /// - Parameter isUserInitiated: `true` for a request by the user, which resumes a paused or canceled download.
    /// - Throws: ``ContentError``: the error of the source or the installation; `paused`, `cancelled`, `notAllowed` or
    ///   `noSpace` if the download does not continue automatically now.
    package func content(_ wanted: Wanted, isUserInitiated: Bool) async throws(ContentError) -> InstalledContent {
        try await contents([wanted], isUserInitiated: isUserInitiated)[0].get()
    }

    /// Downloads and installs the content of several products.
    ///
    /// - Returns: Result of ``content(_:isUserInitiated:)`` for each product.
    package func contents(_ wanted: [Wanted], isUserInitiated: Bool) async -> [Result<InstalledContent, ContentError>] {
        let numbers = wanted.map { ask(for: $0, isUserInitiated: isUserInitiated) }
        startNext()
        var results: [Result<InstalledContent, ContentError>] = []
        for number in numbers { results.append(await answer(number)) }
        return results
    }

    /// Starts downloads and does not wait for their results. Downloads that this or an earlier process has paused or
    /// canceled are not resumed.
    ///
    /// - Throws: ``ContentError`` `storage` if the stored state of a download cannot be read; that download is not
    ///   started.
    package func begin(_ wanted: [Wanted]) throws(ContentError) {
        var failure: ContentError?
        for wanted in wanted where downloads[wanted.request.productIdentifier]?.state != .running {
            do throws(ContentError) {
                var download = try self.download(for: wanted)
                if download.refusal(of: wanted.request, isUserInitiated: false, at: now()) == nil {
                    (download.request, download.path) = (wanted.request, wanted.path)
                    wait(&download)
                }
                downloads[wanted.request.productIdentifier] = download
            } catch {
                failure = failure ?? error
            }
        }
        startNext()
        if let failure { throw failure }
    }

    /// Returns the download of a product from this process or an earlier one, or else a new download.
    private func download(for wanted: Wanted) throws(ContentError) -> Download {
        if let known = downloads[wanted.request.productIdentifier] { return known }
        return try remembered(wanted) ?? Download(wanted, order: nextOrder())
    }

    private func ask(for wanted: Wanted, isUserInitiated: Bool) -> Int {
        let number = answers.add()
        let id = wanted.request.productIdentifier
        guard !isStopped else {
            answers.give(.failure(.stopped(id)), to: [number])
            return number
        }
        var download: Download
        do throws(ContentError) {
            download = try self.download(for: wanted)
        } catch {
            // The download is not started, because its unreadable state may be paused.
            answers.give(.failure(error), to: [number])
            return number
        }
        if let refusal = download.refusal(of: wanted.request, isUserInitiated: isUserInitiated, at: now()) {
            answers.give(.failure(refusal), to: [number])
            downloads[id] = download
            return number
        }
        download.callers.append(number)
        download.priority = min(download.priority, wanted.priority)
        if download.state == .running {
            if isUserInitiated { download.ending = nil }
        } else {
            (download.request, download.path) = (wanted.request, wanted.path)
            wait(&download)
        }
        downloads[id] = download
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
        answers.give(
            .failure(ContentError(code: .cancelled, reason: "no caller waits for the download any more")), to: [number])
    }
}
