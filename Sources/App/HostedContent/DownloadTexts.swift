internal import Foundation

extension DownloadStatus {
    /// Progress of the download in one line.
    package var description: String {
        switch state {
        case .waiting: "waiting" + (wait.map { ": \($0.description)" } ?? "")
        case .active: [amount, secondsLeft.map { "\($0.duration) left" }].compactMap(\.self).joined(separator: ", ")
        case .paused: "paused, \(amount)"
        case .finished: "finished"
        case .failed: "failed" + (error.map { ": \($0)" } ?? "")
        case .cancelled: "cancelled"
        }
    }

    /// Number of bytes that the download has received, with total and percentage if the total is known.
    private var amount: String {
        guard let total = progress.total else { return progress.received.bytes }
        let percent = fraction.map { " (\(Int($0 * 100)) %)" } ?? ""
        return "\(progress.received.bytes) of \(total.bytes)\(percent)"
    }
}

extension DownloadWait {
    package var description: String {
        switch self {
        case .turn: "other downloads have precedence"
        case .permission(let reason): reason
        case .space: "not enough disk space"
        case .otherProcess: "another process is downloading the content"
        }
    }
}

extension Int {
    /// Number of bytes with a decimal unit.
    package var bytes: String {
        let units = ["bytes", "kB", "MB", "GB", "TB"]
        var (value, unit) = (Double(self), 0)
        while value >= 1000, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
        let isRound = unit == 0 || value >= 100
        return value.formatted(.number.precision(.fractionLength(isRound ? 0 : 1)).locale(Locale(identifier: "en_US")))
            + " \(units[unit])"
    }
}

extension TimeInterval {
    /// Duration in clock format, such as 1:05.
    fileprivate var duration: String {
        let seconds = Int(min(rounded(.up), 360_000))
        let (minutes, hours) = (seconds / 60 % 60, seconds / 3600)
        let parts = hours > 0 ? [hours, minutes, seconds % 60] : [minutes, seconds % 60]
        return String(parts[0]) + parts.dropFirst().map { $0 < 10 ? ":0\($0)" : ":\($0)" }.joined()
    }
}
