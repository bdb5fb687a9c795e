import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
import VitrineHostedContent

struct ContentDownloadCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Download the content of owned products.",
        discussion: """
            Content that is installed in the version or with the digest that the catalog names is not downloaded \
            again; --all selects content of owned products that is not installed, or is installed in another version. \
            Standard error shows the progress: bars on a terminal, otherwise a line for each tenth of the content. \
            Ctrl-C pauses the downloads; received data is kept, and 'vitrine content resume' continues them. The exit \
            status is 1 for a product that is not owned or has no content, 2 if ownership is unknown, the content is \
            unavailable, or the download was paused.

            EXAMPLE:
              vitrine content download com.example.voyager.rome
            """
    )

    @OptionGroup var content: ContentSelection
    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        let wanted = try content.identifiers(manager.contentToDownload)
        return try await manager.downloadReport(of: wanted)
    }
}

extension CatalogManager {
    /// Returns the owned products whose content is not installed, or differs from the version in the catalog.
    fileprivate nonisolated func contentToDownload() throws(ContentError) -> [String] {
        try content.listings().filter { [.notInstalled, .updateAvailable].contains($0.state) }.map(\.id)
    }

    /// Downloads the content of products in parallel, and delivers the purchases that were waiting for it.
    nonisolated func downloadReport(of identifiers: [String]) async throws -> Report {
        let running: [Task<URL, any Error>] = identifiers.map { identifier in
            Task { try await content.download(for: identifier) }
        }
        var results: [String: Result<URL, any Error>] = [:]
        for (identifier, task) in zip(identifiers, running) { results[identifier] = await task.result }
        // Purchases may be waiting for the downloaded content.
        await purchases.deliverUnfinished()
        return try await ContentReport.of(identifiers, failing: "not installed") { identifier in
            guard let result = results[identifier] else {
                throw ToolFailure(status: .unknown, reason: "not attempted")
            }
            let path = try result.get().path(percentEncoded: false)
            return ("installed in \(path)", ["product": identifier, "path": path])
        }
    }
}

struct ContentResumeCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume interrupted downloads.",
        discussion: """
            Without identifiers, all paused or interrupted downloads are resumed; to start a cancelled one again, use \
            'vitrine content download'. The exit status is that of 'vitrine content download'.

            EXAMPLE:
              vitrine content resume
            """
    )

    @OptionGroup var content: NamedContent
    @OptionGroup var session: SessionOptions

    func report(_ manager: CatalogManager) async throws -> Report {
        let wanted = content.identifiers { manager.unfinishedDownloads }
        var report = try await manager.downloadReport(of: wanted)
        if wanted.isEmpty { report.lines = ["no download was interrupted"] }
        return report
    }
}

struct ContentCancelCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel downloads and delete their partial data.",
        discussion: """
            A purchase that waits for the content is finished without it; 'vitrine content download' fetches the \
            content later. The exit status is 1 for a product without an unfinished download, 2 if another process is \
            downloading its content.

            EXAMPLE:
              vitrine content cancel com.example.voyager.rome
            """
    )

    @OptionGroup var content: ContentSelection
    @OptionGroup var session: SessionOptions

    var awaitsContent: Bool { false }

    func report(_ manager: CatalogManager) async throws -> Report {
        let wanted = content.identifiers { manager.unfinishedDownloads }
        return try await ContentReport.of(wanted, failing: "not cancelled") { identifier in
            do throws(ContentError) {
                try await manager.content.cancelDownload(of: identifier)
            } catch {
                throw ToolFailure(content: error)
            }
            return ("cancelled", ["product": identifier])
        }
    }
}

struct ContentRemoveCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove the content of products.",
        discussion: """
            The content can be downloaded again while its product is owned. An unfinished download is cancelled. The \
            exit status is 1 for a product without hosted content, 2 if another process is downloading it.

            EXAMPLE:
              vitrine content remove com.example.voyager.rome
            """
    )

    @Argument(help: ArgumentHelp("The products' identifiers.", valueName: "id"), completion: .product)
    var identifiers: [String]

    @OptionGroup var session: SessionOptions

    var awaitsContent: Bool { false }

    func report(_ manager: CatalogManager) async throws -> Report {
        try await ContentReport.of(identifiers, failing: "not removed") { identifier in
            let line =
                switch try await manager.content.remove(for: identifier) {
                case .installed: "removed"
                case .download: "nothing was installed; the download was cancelled"
                case .nothing: "nothing was installed"
                }
            return (line, ["product": identifier])
        }
    }
}
