import ArgumentParser
import Foundation
import Vitrine

struct ContentDownloadCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Get the content of products that are owned.",
        discussion: """
            Content that is there in the version or with the digest that the catalog names is not fetched again; --all gets \
            what is owned and not there, or there in another version. Standard error shows how far it is: bars on a \
            terminal, otherwise a line for each tenth. Ctrl-C pauses; what has come is kept, and vitrine content resume \
            goes on. The exit status is 1 for a product that is not owned or has no content, 2 where it cannot be told \
            whether it is owned, the content cannot be had, or the download was paused.

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
    /// The products whose content is owned, and not there as the catalog asks for it.
    fileprivate nonisolated func contentToDownload() throws(ToolFailure) -> [String] {
        do {
            return try hostedContent().filter { [.notInstalled, .updateAvailable].contains($0.state) }.map(\.id)
        } catch {
            throw ToolFailure(error)
        }
    }

    /// Gets the content of products, beside each other, and delivers the purchases that have waited for it.
    nonisolated func downloadReport(of identifiers: [String]) async -> Report {
        let running = identifiers.map { identifier in
            Task { () async -> Result<URL, OwnedContentError> in
                do throws(OwnedContentError) {
                    return .success(try await downloadContent(for: identifier))
                } catch {
                    return .failure(error)
                }
            }
        }
        var results: [String: Result<URL, OwnedContentError>] = [:]
        for (identifier, task) in zip(identifiers, running) { results[identifier] = await task.value }
        // A purchase may have waited for it.
        await deliverUnfinished()
        return await ContentReport.of(identifiers, failing: "not installed") { identifier throws(ContentFailure) in
            switch results[identifier] {
            case .success(let url)?:
                let path = url.path(percentEncoded: false)
                return ("installed in \(path)", ContentReport.Document.Content(product: identifier, path: path))
            case .failure(let error)?: throw ContentFailure(error)
            case nil: throw ContentFailure(status: .unknown, reason: "nobody has tried")
            }
        }
    }
}
