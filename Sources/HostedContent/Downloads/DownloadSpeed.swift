internal import Foundation

/// Download speed, smoothed over the last few seconds.
struct DownloadSpeed {
    private var last: (date: Date, received: Int)?
    private var bytesPerSecond: Double?

    /// Seconds after which the weight of earlier speed has fallen to a third.
    private static let memory = 5.0
    /// Shortest interval in seconds over which speed is measured.
    private static let shortestStep = 0.2

    /// Adds the number of received bytes at a date. A lower number than before means that the download was restarted.
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

    /// Estimated number of seconds until all bytes are received; `nil` if unknown.
    func secondsLeft(of progress: ContentProgress) -> TimeInterval? {
        guard let total = progress.total, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return Double(max(0, total - progress.received)) / bytesPerSecond
    }
}
