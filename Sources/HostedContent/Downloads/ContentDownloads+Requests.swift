internal import Foundation
internal import ProductCatalog

/// Who asks for content, and is answered.
extension ContentDownloads {
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

    /// Begins to get content, without anybody who waits for it. What is paused or was given up, by an earlier process too,
    /// stays so.
    ///
    /// - Throws: ``ContentError`` `storage` where it cannot be read whether something is paused: that is not begun.
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

    /// The download of a product: one that is known, that an earlier process has left, or else a new one.
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
}
