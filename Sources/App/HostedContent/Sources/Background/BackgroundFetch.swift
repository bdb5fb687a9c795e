internal import Foundation
internal import HTTPTypes
internal import VitrineFileSystem
internal import VitrineNetworking
internal import VitrineSupport

/// Fetch of an archive by a background transfer, which this or an earlier process has started.
struct BackgroundFetch {
    let transfers: BackgroundTransfers
    let name: TransferName
    let file: RemoteFile
    /// Server that sends content only to owners. A background transfer has no credential, and fetches a link.
    let server: (any ProtectedContentServer)?
    /// Folder of the product's download, into which the archive is received.
    let folder: URL
    /// Limits of the transfer: `size` is the maximum length of the file in bytes, `stall` the maximum time without a
    /// received byte until waiting ends.
    let limits: HTTPLimits
    let retries: FetchRetries
    let progress: @Sendable (ContentProgress) -> Void

    /// Outcome of waiting for a background transfer.
    private enum End: Sendable {
        case arrived
        /// - `received`: Number of bytes that the failed transfer has received.
        case failed(ContentError, received: Int = 0)
        /// The transfer receives no bytes at present, and the system continues it.
        case silent
    }

    /// Receives the archive, or waits for the transfer that receives it.
    ///
    /// - Returns: The complete, durable file with the required digest.
    /// - Throws: ``ContentError``: `inProgress` if no bytes are received for a while, and the system continues the
    ///   transfer.
    func run() async throws(ContentError) -> URL {
        let own = try transfers.folder(for: name)
        try FolderTree.remove(allBut: own.names, in: folder)
        var attempts = FetchAttempts(retries)
        var received = 0
        // A link lasts for minutes, and the system may begin or continue its transfer later than that.
        var mayHaveExpired = server?.has(file.url) == true
        while true {
            let before = received
            do throws(ContentError) {
                if let failure = transfers.consumeFailure(of: name) { throw failure }
                if try await arrival(in: own, &received) {
                    return try PartFile.adopt(own.arrived, as: file, in: folder)
                }
            } catch {
                guard error.code == .server, mayHaveExpired else {
                    if received - before >= FileFetch.furtherCount { attempts.reset() }
                    try await attempts.wait(after: error)
                    continue
                }
                mayHaveExpired = false
                continue
            }
            throw ContentError(
                code: .inProgress,
                reason: "no bytes were received for \(Int(limits.stall)) seconds; the system continues the transfer")
        }
    }

    /// Waits until the background transfer has received the file.
    ///
    /// - Parameter received: Largest number of bytes that a failed transfer has received.
    /// - Returns: `true` if the file was received; `false` if no bytes were received for a while.
    private func arrival(in own: TransferFolder, _ received: inout Int) async throws(ContentError) -> Bool {
        // Listening starts before the search for received files, so that nothing is missed.
        let (steps, continuation) = transfers.wait(for: name)
        defer { transfers.leave(name, isSilent: false) }
        let running = await onlyTransfer()
        guard try !own.hasArrived else {
            if let running { _ = await transfers.end(running) }
            return true
        }
        guard !Task.isCancelled else { throw .stopped(name.productIdentifier) }
        let transfer: BackgroundTransfer
        if let running {
            transfer = running
        } else {
            let isLinked = server?.has(file.url) == true
            transfer = try await start(resumption: own.consumeResumption(from: file.url, isLinked: isLinked))
        }
        progress(ContentProgress(received: transfer.received, total: transfer.total ?? file.length))
        let listening = Task { await end(of: transfer, into: own, steps, continuation) }
        let outcome = await withTaskCancellationHandler {
            await listening.value
        } onCancel: {
            guard !transfers.isLeaving else { return continuation.finish() }
            Task {
                transfers.storeResumption(await transfers.end(transfer), of: transfer)
                continuation.yield(.stopped)
            }
        }
        switch outcome {
        case .arrived: return true
        case .failed(let error, let count):
            received = max(received, count)
            throw error
        case .silent:
            transfers.leave(name, isSilent: true)
            // The file may have been received just before.
            return try own.hasArrived
        }
    }

    /// Returns the background transfer that fetches the requested file, if there is one. Other transfers of the product
    /// fetch outdated versions, and are canceled.
    private func onlyTransfer() async -> BackgroundTransfer? {
        var own: BackgroundTransfer?
        for transfer in await transfers.running() {
            guard let other = TransferName(transfer.name), other.productIdentifier == name.productIdentifier else {
                continue
            }
            if other == name, own == nil {
                own = transfer
            } else {
                _ = await transfers.end(transfer)
            }
        }
        return own
    }

    private func start(resumption: Data?) async throws(ContentError) -> BackgroundTransfer {
        if let length = file.length { try FolderTree.checkSpace(for: length, in: folder) }
        var url = file.url
        if let server, server.has(url) { url = try await server.link(to: url) }
        do {
            try HTTPFetcher.checkAddress(url)
        } catch {
            throw ContentError(error)
        }
        return transfers.session.start(
            url, fields: [.acceptEncoding: "identity"], name: name.text, resumption: resumption)
    }

    private func end(
        of transfer: BackgroundTransfer, into own: TransferFolder, _ steps: AsyncStream<BackgroundTransfers.Step>,
        _ continuation: AsyncStream<BackgroundTransfers.Step>.Continuation
    ) async -> End {
        var count = 0
        var watch = silence(after: count, continuation)
        defer { watch.cancel() }
        for await step in steps {
            switch step {
            case .progress(let state) where state.number == transfer.number:
                if let excess = excess(of: state) {
                    _ = await transfers.end(transfer)
                    // The file may have arrived before its transfer was ended. If it cannot be removed, the next
                    // request finds that it is wrong.
                    try? FolderTree.remove(own.arrived)
                    return .failed(excess)
                }
                progress(ContentProgress(received: state.received, total: state.total ?? file.length))
                count += 1
                watch.cancel()
                watch = silence(after: count, continuation)
            case .arrived(let other):
                // If the received file belongs to an earlier transfer that had already ended, the new transfer is not
                // needed.
                if other.number != transfer.number { _ = await transfers.end(transfer) }
                return .arrived
            case .failed(let failed, let error) where failed.number == transfer.number:
                return .failed(error, received: failed.received)
            case .stopped: return .failed(.stopped(name.productIdentifier))
            case .silence(after: count): return .silent
            case .progress, .failed, .silence: continue
            }
        }
        return .failed(.stopped(name.productIdentifier))
    }

    /// Starts a timer that reports after `limits.stall` seconds that no bytes were received. The caller cancels it when
    /// bytes are received.
    private func silence(
        after count: Int, _ continuation: AsyncStream<BackgroundTransfers.Step>.Continuation
    ) -> Task<Void, any Error> {
        Task {
            try await transfers.sleep(.seconds(limits.stall))
            continuation.yield(.silence(after: count))
        }
    }

    /// Returns the error for a transfer that receives more bytes than reported or allowed; otherwise `nil`.
    private func excess(of transfer: BackgroundTransfer) -> ContentError? {
        let most = file.length ?? limits.size
        let length = max(transfer.received, transfer.total ?? 0)
        guard length > most else { return nil }
        return ContentError.wrongContent(
            "the file on the server has \(length) bytes, more than the expected or permitted \(most)")
    }
}
