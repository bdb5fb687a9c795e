public import Foundation

/// State of a download, in StoreKit's terms.
public enum DownloadState: String, Sendable, Hashable, Codable, CaseIterable {
    /// The download waits to start or continue; ``DownloadStatus/wait`` has the reason.
    case waiting
    /// The download receives bytes or installs them.
    case active
    /// The download is paused until it is resumed. Received bytes remain stored.
    case paused
    /// The content is installed.
    case finished
    /// The download failed with ``DownloadStatus/error``. Received bytes remain stored.
    case failed
    /// The download was canceled, and its received bytes are removed.
    case cancelled
}

/// Reason why a download waits.
public enum DownloadWait: Sendable, Hashable {
    /// Other downloads have to end before this one can start.
    case turn
    /// The app does not permit the download, for a reason to be shown.
    case permission(String)
    /// There is too little free space for the content.
    case space
    /// Another process is downloading the same content, or a background transfer of the system receives no bytes for
    /// now.
    case otherProcess
}

/// Status of the download of a product's content.
public struct DownloadStatus: Sendable, Hashable, Identifiable {
    /// Product identifier.
    public let id: String
    /// Version of the content that the catalog requires; `nil` if the catalog names none.
    public internal(set) var version: String?
    public internal(set) var state: DownloadState
    /// Reason why the download waits; `nil` in states other than ``DownloadState/waiting``.
    public internal(set) var wait: DownloadWait?
    /// Number of received bytes and length of the archive.
    public internal(set) var progress = ContentProgress()
    /// Estimated number of seconds until all bytes are received, at the current speed; `nil` if unknown.
    public internal(set) var secondsLeft: TimeInterval?
    /// Error of a download that has failed or waits for space; `nil` otherwise.
    public internal(set) var error: ContentError?

    init(id: String, version: String?, state: DownloadState, wait: DownloadWait? = nil) {
        self.id = id
        self.version = version
        self.state = state
        self.wait = wait
    }

    /// Fraction of bytes received, from 0 to 1; `nil` while the total is unknown.
    public var fraction: Double? {
        guard let total = progress.total, total > 0 else { return nil }
        return min(1, Double(progress.received) / Double(total))
    }
}

/// Download speed, smoothed over the last few seconds.
struct DownloadSpeed {
    private var last: (date: Date, received: Int)?
    private var bytesPerSecond: Double?

    /// Time constant in seconds of the smoothing of the download speed: within this time the weight of a measurement
    /// falls to about a third.
    private static let memory = 5.0
    /// Minimum interval in seconds between two measurements of the speed.
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

    /// Returns the estimated number of seconds until all bytes are received; `nil` if unknown.
    func secondsLeft(of progress: ContentProgress) -> TimeInterval? {
        guard let total = progress.total, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        return Double(max(0, total - progress.received)) / bytesPerSecond
    }
}

/// Settings of an app for downloads.
public struct DownloadPolicy: Sendable {
    /// Number of products whose content is downloaded at the same time; at least 1.
    public var mostAtOnce: Int {
        didSet { mostAtOnce = max(1, mostAtOnce) }
    }
    /// Function that decides whether content may be downloaded now, for example only on some networks. It is called
    /// with the length of the content in bytes before the content is fetched, and again whenever the length becomes
    /// known or changes.
    ///
    /// Within the function, calls of the manager are treated as within its other hooks: no load and no delivery is
    /// waited for. Calls that would wait for a download or end one are refused with the code `notAllowed` (`stopped` for
    /// content of an owned product), because all downloads may wait for the function.
    public var permission: (@Sendable (ContentRequest, _ length: Int?) async -> DownloadPermission)?

    public init(
        mostAtOnce: Int = 2,
        permission: (@Sendable (ContentRequest, _ length: Int?) async -> DownloadPermission)? = nil
    ) {
        self.mostAtOnce = max(1, mostAtOnce)
        self.permission = permission
    }
}

extension DownloadPolicy {
    /// Returns a policy that delays downloads while the network is expensive, such as a cellular one.
    ///
    /// - Parameters:
    ///   - mostAtOnce: Number of products whose content is downloaded at the same time; at least 1.
    ///   - isExpensive: Returns `true` while the network is expensive. On Apple platforms,
    ///     `ManagerOptions.deviceNetworkIsExpensive`.
    public static func wifiOnly(
        mostAtOnce: Int = 2, isExpensive: @escaping @Sendable () async -> Bool
    ) -> DownloadPolicy {
        DownloadPolicy(mostAtOnce: mostAtOnce) { _, _ in
            await isExpensive() ? .notNow("the download waits for Wi-Fi") : .allowed
        }
    }
}

/// Decision of an app whether a download may start.
public enum DownloadPermission: Sendable, Hashable {
    case allowed
    /// The download has to wait, for a reason to be shown. The app is asked again when the network changes (with
    /// `ManagerOptions.networkChanges`), when the app returns to the foreground, when products are loaded, and when the
    /// content is requested.
    case notNow(String)
}

/// Priority of a download in the queue.
package enum DownloadPriority: Int, Sendable, Comparable {
    /// The customer has opened the screen of the product and waits for the content.
    case opened
    /// The product of the content was bought or requested itself, not as part of a bundle.
    case wanted
    /// The product is part of a bundle that was bought.
    case unlocked

    package static func < (left: DownloadPriority, right: DownloadPriority) -> Bool { left.rawValue < right.rawValue }
}
