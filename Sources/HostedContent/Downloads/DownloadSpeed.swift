internal import Foundation

/// How fast bytes come, smoothed over the last few seconds.
struct DownloadSpeed {
    private var last: (date: Date, received: Int)?
    private var bytesPerSecond: Double?

    /// After so many seconds, what was before counts for a third.
    private static let memory = 5.0
    /// Less than this many seconds say nothing about speed.
    private static let shortestStep = 0.2

    /// Takes in how many bytes are here at a time. Fewer than before: it has begun anew.
    mutating func add(_ received: Int, at date: Date) {
        guard let last, received >= last.received else {
            self.last = (date, received)
            bytesPerSecond = nil
            return
        }
        let seconds = date.timeIntervalSince(last.date)
        guard seconds >= Self.shortestStep else { return }
        let current = Double(received - last.received) / seconds
        let weight = 1 - exp(-seconds / Self.memory)
        bytesPerSecond = bytesPerSecond.map { $0 + (current - $0) * weight } ?? current
        self.last = (date, received)
    }

    /// For how many seconds the rest is going to come; `nil` where nobody can tell.
    func secondsLeft(of progress: ContentProgress) -> TimeInterval? {
        guard let total = progress.total, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return Double(max(0, total - progress.received)) / bytesPerSecond
    }
}
