internal import Foundation
internal import VitrineSupport

/// Board with the statuses of all downloads, which can be read from any thread and reports each change.
final class DownloadBoard: Sendable {
    private struct Entry {
        var status: DownloadStatus
        /// Request whose progress is reported.
        var subject: ContentRequest
        var speed = DownloadSpeed()
        /// Date of the last report of the download's progress.
        var reported: Date?
        /// Task that reports delayed progress once the minimum interval between two reports has passed.
        var sender: Task<Void, Never>?
        /// Number of the current download attempt; progress of earlier attempts is ignored.
        var attempt = 0

        init(_ request: ContentRequest) {
            status = DownloadStatus(id: request.productIdentifier, version: request.version, state: .waiting)
            subject = request
        }

        /// Replaces the request of a download by another request for the same product. If that is for another version
        /// or digest, the progress is discarded.
        mutating func turn(to request: ContentRequest) {
            if !request.isForSame(version: subject.version, digest: subject.digest) {
                status.progress = ContentProgress()
            }
            status.version = request.version
            subject = request
        }

        mutating func stopTeller() {
            sender?.cancel()
            sender = nil
        }
    }

    private struct Entries {
        var order: [String] = []
        var byProduct: [String: Entry] = [:]
    }

    private let entries = Locked(Entries())
    private let now: @Sendable () -> Date
    private let sleep: @Sendable (Duration) async throws -> Void
    private let send: @Sendable (DownloadStatus) -> Void

    /// Minimum interval between two reports of a download's progress, in seconds.
    private static let shortestPause = 0.25

    /// Creates a board without downloads.
    ///
    /// - Parameter send: Called with the new status at each change of a download, in the order of the changes; must not
    ///   call a function of this board.
    init(
        now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void,
        send: @escaping @Sendable (DownloadStatus) -> Void
    ) {
        self.now = now
        self.sleep = sleep
        self.send = send
    }

    /// Statuses of all downloads, in the order in which they were first requested.
    var statuses: [DownloadStatus] {
        entries.withLock { entries in entries.order.compactMap { entries.byProduct[$0]?.status } }
    }

    func status(of id: String) -> DownloadStatus? { entries.withLock { $0.byProduct[id]?.status } }

    func set(
        _ state: DownloadState, of request: ContentRequest, wait: DownloadWait? = nil, error: ContentError? = nil,
        progress: ContentProgress? = nil
    ) {
        change(request) { entry in
            entry.status.state = state
            entry.status.wait = wait
            entry.status.error = error
            entry.status.secondsLeft = nil
            if let progress { entry.status.progress = progress }
            if state == .finished, let total = entry.status.progress.total { entry.status.progress.received = total }
        }
    }

    /// Starts an attempt to download the content of a product.
    ///
    /// - Returns: Number of the attempt, which identifies its progress.
    func begin(_ request: ContentRequest) -> Int {
        var attempt = 0
        change(request) { entry in
            entry.status.state = .active
            (entry.status.wait, entry.status.error) = (nil, nil)
            (entry.speed, entry.reported) = (DownloadSpeed(), nil)
            entry.attempt += 1
            attempt = entry.attempt
        }
        return attempt
    }

    func set(_ progress: ContentProgress, of id: String, attempt: Int) {
        let now = now()
        entries.withLock { entries in
            guard var entry = entries.byProduct[id], entry.attempt == attempt, entry.status.state == .active,
                entry.status.progress != progress
            else { return }
            entry.speed.add(progress.received, at: now)
            entry.status.progress = progress
            entry.status.secondsLeft = entry.speed.secondsLeft(of: progress)
            let isDue = entry.reported.map { now.timeIntervalSince($0) >= Self.shortestPause } ?? true
            if isDue {
                entry.reported = now
                entry.stopTeller()
            } else if entry.sender == nil {
                entry.sender = Task { [weak self, sleep] in
                    do { try await sleep(.seconds(Self.shortestPause)) } catch { return }
                    self?.sendProgress(of: id)
                }
            }
            entries.byProduct[id] = entry
            if isDue { send(entry.status) }
        }
    }

    /// Reports progress that was delayed because of the minimum interval, because the next bytes may arrive much later.
    private func sendProgress(of id: String) {
        let now = now()
        entries.withLock { entries in
            guard !Task.isCancelled, let status = entries.byProduct[id]?.status else { return }
            entries.byProduct[id]?.sender = nil
            entries.byProduct[id]?.reported = now
            send(status)
        }
    }

    private func change(_ request: ContentRequest, _ body: (inout Entry) -> Void) {
        let id = request.productIdentifier
        entries.withLock { entries in
            if entries.byProduct[id] == nil { entries.order.append(id) }
            var entry = entries.byProduct[id] ?? Entry(request)
            let before = entry.status
            entry.turn(to: request)
            let isKeptBack = entry.sender != nil
            entry.stopTeller()
            body(&entry)
            let isNew = entries.byProduct.updateValue(entry, forKey: id) == nil
            if isNew || isKeptBack || entry.status != before { send(entry.status) }
        }
    }
}

/// Results of downloads for the callers that wait for them. A caller may begin to wait before or after the result of
/// its download is known.
struct DownloadAnswers {
    typealias Answer = Result<InstalledContent, ContentError>

    private var last = 0
    private var open: Set<Int> = []
    private var given: [Int: Answer] = [:]
    private var waiting: [Int: CheckedContinuation<Answer, Never>] = [:]

    /// Registers a caller that waits for the result of a download.
    ///
    /// - Returns: Number that identifies the caller.
    mutating func add() -> Int {
        last += 1
        open.insert(last)
        return last
    }

    mutating func wait(for number: Int, _ continuation: CheckedContinuation<Answer, Never>) {
        guard let answer = given.removeValue(forKey: number) else {
            waiting[number] = continuation
            return
        }
        open.remove(number)
        continuation.resume(returning: answer)
    }

    /// Stores the result of a download for the given callers, except those that already have a result.
    mutating func give(_ answer: Answer, to numbers: [Int]) {
        for number in numbers where open.contains(number) && given[number] == nil {
            if let continuation = waiting.removeValue(forKey: number) {
                open.remove(number)
                continuation.resume(returning: answer)
            } else {
                given[number] = answer
            }
        }
    }
}
