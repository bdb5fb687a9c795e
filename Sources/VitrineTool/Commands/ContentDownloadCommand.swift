import ArgumentParser
import Foundation
import Vitrine

struct ContentDownloadCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Download the content of owned products.",
        discussion: """
            Content that is installed in the version or with the digest that the catalog names is not downloaded \
            again; --all selects owned content that is missing or installed in another version. Standard error shows \
            the progress: bars on a terminal, otherwise a line for each tenth. Ctrl-C pauses; received data is kept, \
            and vitrine content resume continues. The exit status is 1 for a product that is not owned or has no \
            content, 2 if ownership is unknown, the content is unavailable, or the download was paused.

            EXAMPLE:
              vitrine content download com.example.voyager.rome
            """
    )

    @OptionGroup var content: ContentSelection
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            let wanted = try content.identifiers(manager.contentToDownload)
            return await manager.downloadReport(of: wanted)
        }
    }
}

extension CatalogManager {
    /// Returns the products whose content is owned and missing, or installed in another version than the catalog names.
    fileprivate nonisolated func contentToDownload() throws(ToolFailure) -> [String] {
        do {
            return try content.listings().filter { [.notInstalled, .updateAvailable].contains($0.state) }.map(\.id)
        } catch {
            throw ToolFailure(error)
        }
    }

    /// Downloads the content of products in parallel, and delivers the purchases that waited for it.
    nonisolated func downloadReport(of identifiers: [String]) async -> Report {
        let running = identifiers.map { identifier in
            Task { () async -> Result<URL, OwnedContentError> in
                do throws(OwnedContentError) {
                    return .success(try await content.download(for: identifier))
                } catch {
                    return .failure(error)
                }
            }
        }
        var results: [String: Result<URL, OwnedContentError>] = [:]
        for (identifier, task) in zip(identifiers, running) { results[identifier] = await task.value }
        // A purchase may have waited for this content.
        await purchases.deliverUnfinished()
        return await ContentReport.of(identifiers, failing: "not installed") { identifier throws(ToolFailure) in
            switch results[identifier] {
            case .success(let url)?:
                let path = url.path(percentEncoded: false)
                return ("installed in \(path)", ContentReport.Document.Content(product: identifier, path: path))
            case .failure(let error)?: throw ToolFailure(error)
            case nil: throw ToolFailure(status: .unknown, reason: "not attempted")
            }
        }
    }
}

struct ContentResumeCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume interrupted downloads.",
        discussion: """
            Without identifiers, all paused or interrupted downloads are resumed; to start a cancelled one again, use \
            vitrine content download. The exit status is that of vitrine content download.

            EXAMPLE:
              vitrine content resume
            """
    )

    @OptionGroup var content: NamedContent
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            let wanted = content.identifiers { manager.unfinishedDownloads }
            var report = await manager.downloadReport(of: wanted)
            if wanted.isEmpty { report.lines = ["no download was interrupted"] }
            return report
        }
    }
}
