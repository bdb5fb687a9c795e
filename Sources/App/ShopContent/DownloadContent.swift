internal import Vitrine
internal import VitrineHostedContent

/// State of a product's hosted content, as a shop shows it.
public struct DownloadContent: Sendable, Hashable {
    /// Action of the customer on the content.
    public enum Action: Sendable, Hashable {
        case download, pause, resume, retry

        package var phrase: ShopPhrase {
            switch self {
            case .download: .download
            case .pause: .pause
            case .resume: .resume
            case .retry: .retry
            }
        }
    }

    /// State of the content, such as "Downloading…".
    public let text: String
    /// Installed or downloaded fraction of the content, from 0 to 1.
    public let fraction: Double
    /// `true` while the content is received or waits for its turn.
    public let isRunning: Bool
    /// Possible action; `nil` if there is none.
    public let action: Action?
    /// Label of the ``action``.
    public let actionLabel: String?

    /// - Returns: `nil` for content that the customer cannot have now.
    init?(_ content: ListedContent, _ phrases: ShopPhrases) {
        guard let (phrase, action) = Self.state(content) else { return nil }
        text = phrases[phrase]
        fraction = content.fraction
        isRunning = phrase == .downloading
        // The content of a bundle is that of its products, each of which has a download of its own.
        self.action = content.state == nil ? nil : action
        actionLabel = self.action.map { phrases[$0.phrase] }
    }

    private static func state(_ content: ListedContent) -> (ShopPhrase, Action?)? {
        switch content.state {
        case .notOwned, .withheld, .ownershipUnknown: return nil
        case .installed, .updateAvailable, .notInstalled, nil: break
        }
        switch content.download?.state {
        case .waiting, .active: return (.downloading, .pause)
        case .paused: return (.downloadPaused, .resume)
        case .failed: return (.downloadFailed, .retry)
        case .finished, .cancelled, nil: break
        }
        return switch content.state {
        case .updateAvailable: (.updateAvailable, .download)
        case .notInstalled: (.notDownloaded, .download)
        case .installed: (content.isComplete ? .downloaded : .notDownloaded, nil)
        default: content.isComplete ? (.downloaded, nil) : content.installedCount > 0 ? (.notDownloaded, nil) : nil
        }
    }
}
