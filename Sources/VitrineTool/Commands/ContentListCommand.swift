import ArgumentParser
import Foundation
import HostedContent
import Vitrine

struct ContentListCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the products with hosted content, or the files in an archive.",
        discussion: """
            Without ARCHIVE: the products. The size is that of all files, in bytes; the path lies in the home. Content of a product that is not owned \
            any more stays there, withheld: it is not given out.

            With ARCHIVE: the files of the package in a zip or a tar, which is read through and checked; \
            nothing is written. The exit status is 65 if no package can be in it.

            EXAMPLES:
              vitrine content
              vitrine content list out/com.example.voyager.rome-1.0.zip
            """
    )

    @Argument(help: ArgumentHelp("An archive. (default: none, and the products are listed)", valueName: "archive"))
    var archive: String?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        if let archive { return try PackageListing(of: archive).report }
        return try await products()
    }

    private func products() async throws -> Report {
        let folder = home.folder.hostedContent.lastPathComponent
        return try await OpenHome.open(home, verbose: verbose).use(awaitsContent: false) { manager, _ in
            guard let catalog = manager.catalog else {
                throw ToolFailure(
                    status: .unknown, reason: "there is no catalog that says which products have hosted content")
            }
            let listings: [ContentListing]
            do {
                listings = try manager.hostedContent()
            } catch let error as ContentError {
                throw ToolFailure(error)
            }
            var table = Table(headings: ["PRODUCT", "VERSION", "SIZE", "PATH", "STATE"])
            table.rows = listings.map { listing in
                [
                    listing.id, listing.version ?? "-", listing.size.map(String.init) ?? "-",
                    "\(folder)/\(listing.path)", listing.words,
                ]
            }
            return Report(
                lines: listings.isEmpty ? ["no product has hosted content"] : table.lines,
                json: Document(
                    content: listings.map { listing in
                        Document.Content(
                            product: listing.id, version: listing.version, size: listing.size,
                            path: "\(folder)/\(listing.path)", state: listing.state,
                            download: listing.download?.state, received: listing.download?.progress.received,
                            total: listing.download?.progress.total)
                    }),
                status: .yes,
                remarks: catalog.hasErrors ? ["warning: errors in the catalog leave some products out"] : []
            )
        }
    }

    private struct Document: Encodable {
        struct Content: Encodable {
            let product: String
            let version: String?
            let size: Int?
            let path: String
            let state: ContentState
            let download: DownloadState?
            let received: Int?
            let total: Int?
        }

        let content: [Content]
    }
}

extension ContentListing {
    /// Its state, and how far its download is unless that is over.
    fileprivate var words: String {
        guard let download, download.state != .finished else { return state.words }
        return "\(state.words); \(download.words)"
    }
}

extension ContentState {
    fileprivate var words: String {
        switch self {
        case .installed: "installed"
        case .updateAvailable: "installed, and another version is to be had"
        case .notInstalled: "not installed"
        case .notOwned: "not owned"
        case .withheld: "not owned any more: withheld"
        case .ownershipUnknown: "not known whether it is owned"
        }
    }
}
