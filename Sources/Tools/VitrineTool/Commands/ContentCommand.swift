import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing

struct ContentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "content",
        abstract: "Show, download and pack the hosted content of products.",
        subcommands: [
            ContentListCommand.self, ContentDownloadCommand.self, ContentResumeCommand.self, ContentCancelCommand.self,
            ContentCheckCommand.self, ContentRepairCommand.self, ContentRemoveCommand.self, ContentPathCommand.self,
            ContentNewCommand.self, ContentPackCommand.self, ContentVerifyCommand.self, ContentUnpackCommand.self,
        ],
        defaultSubcommand: ContentListCommand.self
    )
}

struct ContentListCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the products with hosted content, or the files in an archive.",
        discussion: """
            Without ARCHIVE: lists the products. The size is the sum of all files, in bytes; the path is relative to \
            the home. Content of a product that is no longer owned stays on disk but is withheld from the app.

            With ARCHIVE: lists the files of the package in a zip or a tar, which is read and checked \
            completely; nothing is written. The exit status is 65 if the archive does not contain a package.

            EXAMPLES:
              vitrine content
              vitrine content list out/com.example.voyager.rome-1.0.zip
            """
    )

    @Argument(
        help: ArgumentHelp("The archive whose files are listed. (default: list the products)", valueName: "archive"),
        completion: .file())
    var archive: String?

    @OptionGroup var session: SessionOptions

    func report() async throws -> Report {
        if let archive {
            return try ContentArchive.verify(
                URL(filePath: archive, directoryHint: .notDirectory), codec: PackingFormat.codec
            ).listing
        }
        return try await products()
    }

    private func products() async throws -> Report {
        let folder = session.home.folder.hostedContent.lastPathComponent
        return try await OpenHome.open(session).use(awaitsContent: false) { manager, _ in
            guard let catalog = manager.catalog.current else {
                throw ToolFailure(
                    status: .unknown, reason: "no catalog is loaded, so the products with hosted content are unknown")
            }
            let listings = try manager.content.listings()
            var table = Table(headings: ["PRODUCT", "VERSION", "SIZE", "PATH", "STATE"])
            table.rows = listings.map { listing in
                [
                    listing.id, listing.version ?? "-", listing.size.map(String.init) ?? "-",
                    "\(folder)/\(listing.path)", listing.description,
                ]
            }
            return Report(
                lines: listings.isEmpty ? ["no product has hosted content"] : table.lines,
                json: [
                    "content": listings.map { listing -> JSONObject in
                        [
                            "product": listing.id, "version": listing.version, "size": listing.size,
                            "path": "\(folder)/\(listing.path)", "state": listing.state,
                            "download": listing.download?.state, "received": listing.download?.progress.received,
                            "total": listing.download?.progress.total,
                        ]
                    }
                ], remarks: catalog.hasErrors ? ["warning: products with errors in the catalog are left out"] : [])
        }
    }
}

extension ContentListing {
    /// Description of the content's state, with the progress of an unfinished download.
    fileprivate var description: String {
        guard let download, download.state != .finished else { return state.description }
        return "\(state.description); \(download.description)"
    }
}

struct ContentPathCommand: HomeCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Print the folder with a product's content.",
        discussion: """
            The folder contains the files that the package has in its folder Contents. Content that is not hosted is \
            looked for in the folder of the catalog. The exit status is 1 for a product that is not owned or whose \
            content is not installed, 2 if ownership is unknown.

            EXAMPLE:
              ls "$(vitrine content path com.example.voyager.rome)"
            """
    )

    @Argument(help: .product, completion: .product) var identifier: String

    @OptionGroup var session: SessionOptions

    var awaitsContent: Bool { false }

    func report(_ manager: CatalogManager) async throws -> Report {
        let path = try manager.content.url(for: identifier).path(percentEncoded: false)
        return Report(lines: [path], json: ["product": identifier, "path": path])
    }
}
