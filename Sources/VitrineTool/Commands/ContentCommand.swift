import ArgumentParser
import Foundation
import HostedContent
import Vitrine

struct ContentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "content",
        abstract: "Show, get and pack the hosted content of products.",
        subcommands: [
            ContentListCommand.self, ContentDownloadCommand.self, ContentPathCommand.self, ContentPackCommand.self,
            ContentVerifyCommand.self, ContentUnpackCommand.self,
        ],
        defaultSubcommand: ContentListCommand.self
    )
}

struct ContentDownloadCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "download",
        abstract: "Get the content of products that are owned.",
        discussion: """
            Content that is there in the same version is not fetched again. The exit status is 1 for a product that is \
            not owned or has no content, 2 where it cannot be told whether it is owned, or the content cannot be had.

            EXAMPLE:
              vitrine content download com.example.voyager.rome
            """
    )

    @Argument(help: ArgumentHelp("The products' identifiers.", valueName: "id"))
    var identifiers: [String]

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            var report = Report(lines: [], json: Document(content: []), status: .yes)
            var content: [Document.Content] = []
            for identifier in identifiers {
                do {
                    let url = try await manager.installContent(for: identifier)
                    let path = url.path(percentEncoded: false)
                    report.lines.append("\(identifier): installed in \(path)")
                    content.append(Document.Content(product: identifier, path: path, reason: nil))
                } catch let error as OwnedContentError {
                    report.lines.append("\(identifier): not installed: \(error)")
                    content.append(Document.Content(product: identifier, path: nil, reason: error.reason))
                    report.status = max(report.status, error.exitStatus)
                }
            }
            report.json = Document(content: content)
            return report
        }
    }

    private struct Document: Encodable {
        struct Content: Encodable {
            let product: String
            let path: String?
            let reason: String?
        }

        let content: [Content]
    }
}

struct ContentPathCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Print the folder with a product's content.",
        discussion: """
            It has what the package has in Contents. The exit status is 1 for a product that is not owned or whose \
            content is not installed, 2 where it cannot be told whether it is owned.

            EXAMPLE:
              ls "$(vitrine content path com.example.voyager.rome)"
            """
    )

    @Argument(help: ArgumentHelp("The product's identifier.", valueName: "id"))
    var identifier: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, _ in
            do {
                let path = try manager.contentURL(for: identifier).path(percentEncoded: false)
                return Report(lines: [path], json: Document(product: identifier, path: path), status: .yes)
            } catch let error as OwnedContentError {
                throw ToolFailure(status: error.exitStatus, reason: error.reason)
            }
        }
    }

    private struct Document: Encodable {
        let product: String
        let path: String
    }
}

extension ContentState {
    var words: String {
        switch self {
        case .installed: "installed"
        case .notInstalled: "not installed"
        case .notOwned: "not owned"
        case .withheld: "not owned any more: withheld"
        case .ownershipUnknown: "not known whether it is owned"
        }
    }
}

extension OwnedContentError {
    fileprivate var exitStatus: ExitStatus {
        switch code {
        case .ownershipUnknown, .unavailable: .unknown
        case .storage: .inputOutput
        default: .no
        }
    }
}
