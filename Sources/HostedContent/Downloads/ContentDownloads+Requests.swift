internal import Foundation
internal import ProductCatalog

/// Requests for content and their results.
extension ContentDownloads {
    /// Downloads and installs content. A request for content that is being downloaded waits for that download.
    ///
    /// - Parameter isAsked: `true` for a request by the user, which resumes a paused or canceled download.
    /// - Throws: ``ContentError``: the error of the source or the installation; `paused`, `cancelled`, `notAllowed` or
    ///   `noSpace` if the download does not continue automatically now.
    package func content(_ wanted: Wanted, isAsked: Bool) async throws(ContentError) -> InstalledContent {
        try await contents([wanted], isAsked: isAsked)[0].get()
    }

    /// Downloads and installs the content of several products.
    ///
    /// - Returns: Result of ``content(_:isAsked:)`` for each.
    package func contents(_ wanted: [Wanted], isAsked: Bool) async -> [Result<InstalledContent, ContentError>] {
        let numbers = wanted.map { ask(for: $0, isAsked: isAsked) }
        startNext()
        var results: [Result<InstalledContent, ContentError>] = []
        for number in numbers { results.append(await answer(number)) }
        return results
    }

    /// Starts downloads without a caller that waits for them. Downloads that this or an earlier process has paused or
    /// canceled stay so.
    ///
    /// - Throws: ``ContentError`` `storage` if the stored state of a download cannot be read; that one is not started.
    package func begin(_ wanted: [Wanted]) throws(ContentError) {
        var failure: ContentError?
        for wanted in wanted where jobs[wanted.request.productIdentifier]?.phase != .running {
            do throws(ContentError) {
                var job = try job(for: wanted)
                if job.refusal(isAsked: false, at: now()) == nil {
                    (job.request, job.path) = (wanted.request, wanted.path)
                    wait(&job)
                }
                jobs[wanted.request.productIdentifier] = job
            } catch {
                failure = failure ?? error
            }
        }
        startNext()
        if let failure { throw failure }
    }

    /// Download of a product: the known one, that of an earlier process, or a new one.
    private func job(for wanted: Wanted) throws(ContentError) -> DownloadJob {
        if let known = jobs[wanted.request.productIdentifier] { return known }
        return try remembered(wanted) ?? DownloadJob(wanted, order: nextOrder())
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
            job = try self.job(for: wanted)
        } catch {
            // The download may be paused.
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
        answers.give(.failure(ContentError(code: .cancelled, reason: "no caller waits for it any more")), to: [number])
    }
}
