import Testing
import VitrineEntitlements

@testable import Vitrine
@testable import VitrineHostedContent
@testable import VitrineShopContent

struct DownloadContentTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let id: String
        let state: ContentState?
        var download: DownloadState?
        var installed = 0
        var count = 1
        /// Text, action and whether the download runs; empty for content that is not shown.
        let shown: [String]

        var testDescription: String { id }
    }

    static let rows = [
        Row(id: "not downloaded", state: .notInstalled, shown: ["Not downloaded", "Download", "false"]),
        Row(id: "waiting", state: .notInstalled, download: .waiting, shown: ["Downloading…", "Pause", "true"]),
        Row(id: "downloading", state: .notInstalled, download: .active, shown: ["Downloading…", "Pause", "true"]),
        Row(id: "paused", state: .notInstalled, download: .paused, shown: ["Paused", "Resume", "false"]),
        Row(
            id: "failed", state: .notInstalled, download: .failed,
            shown: ["The download has failed.", "Try Again", "false"]),
        Row(
            id: "canceled", state: .notInstalled, download: .cancelled,
            shown: ["Not downloaded", "Download", "false"]),
        Row(
            id: "downloaded", state: .installed, download: .finished, installed: 1,
            shown: ["Downloaded", "-", "false"]),
        Row(
            id: "update available", state: .updateAvailable, installed: 1,
            shown: ["Update available", "Download", "false"]),
        Row(id: "not owned", state: .notOwned, shown: []),
        Row(id: "withheld", state: .withheld, download: .failed, shown: []),
        Row(id: "ownership unknown", state: .ownershipUnknown, shown: []),
        Row(id: "products of a bundle", state: nil, installed: 1, count: 3, shown: ["Not downloaded", "-", "false"]),
        Row(id: "all products of a bundle", state: nil, installed: 3, count: 3, shown: ["Downloaded", "-", "false"]),
        Row(id: "no products of a bundle", state: nil, count: 3, shown: []),
        Row(
            id: "bundle with content of its own", state: .installed, installed: 1, count: 2,
            shown: ["Not downloaded", "-", "false"]),
    ]

    @Test(arguments: rows) func `the content of a download follows from its state`(row: Row) {
        let content = ListedContent(
            state: row.state, download: row.download.map { DownloadStatus(id: "a", version: nil, state: $0) },
            count: row.count, installedCount: row.installed, fraction: 0.5)
        let shown = DownloadContent(content, ShopPhrases(languages: ["en"]))
        #expect(shown.map { [$0.text, $0.actionLabel ?? "-", "\($0.isRunning)"] } ?? [] == row.shown)
        #expect(shown.map { $0.fraction == 0.5 } ?? true)
    }
}
