package import ArgumentParser
import Foundation
import VitrineCatalog
package import VitrineCommandSupport

package struct DiffCommand: ReportingCommand {
    package static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what changes if one catalog replaces another.",
        discussion: """
            Lists each change with its effect, the gravest first: it takes products away from customers, breaks older \
            apps, changes an offer, or is safe. For a subscription, the change also says what it means for its subscribers. The exit \
            status is 1 if a change takes products away.

            Of two folders, the catalogs with the same path in both are compared. A catalog that only one of them has \
            is new or removed, and its products with it. What 'vitrine lint' leaves out of the new folder, by its settings \
            too, is left out of both. A file that cannot be read is named, and the exit status is 65.

            --format markdown writes the text for a comment on a pull request: changes that take something away come \
            first, and what would make it longer than GitHub accepts is left out and counted.

            --html, or --format html, writes a page that shows each product with a change before and after it, side by \
            side. The page is one file without scripts, and loads nothing. The gravest changes come first, and what \
            would make it too long is left out and counted.

            EXAMPLES:
              vitrine diff Catalogs/Voyager.plist NewVoyager.plist
              vitrine diff --html old/Catalogs Catalogs > changes.html
              vitrine diff --format markdown old/Catalogs Catalogs
            """
    )

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, json, markdown, html
    }

    @Argument(
        help: ArgumentHelp("The catalog in use, or a folder of catalogs.", valueName: "old"), completion: .catalog)
    var old: String

    @Argument(
        help: ArgumentHelp("The catalog that replaces it, or a folder of catalogs.", valueName: "new"),
        completion: .catalog)
    var new: String

    @Option(help: ArgumentHelp("The format of the changes: text, json, markdown or html.", valueName: "format"))
    var format: Format?

    @Flag(help: "Print a page that shows both catalogs side by side.")
    var html = false

    @OptionGroup package var selection: SelectionOptions
    @OptionGroup package var output: OutputOptions

    package var activity: String? { "comparing catalogs" }

    package init() {}

    package func validate() throws {
        guard formats.count < 2 else {
            throw ValidationError("Use only one of --json, --html and --format.")
        }
        try PathArgument.validate([old, new])
    }

    /// Output formats from all options. Several options may name the same format.
    private var formats: Set<Format> {
        Set([format, output.json ? .json : nil, html ? .html : nil].compactMap(\.self))
    }

    package func report() throws -> Report {
        let areFolders = CatalogFolder.isFolder(old)
        guard areFolders == CatalogFolder.isFolder(new) else {
            throw ToolFailure(
                status: FileManager.default.fileExists(atPath: areFolders ? new : old) ? .usage : .noInput,
                reason: "\(areFolders ? new : old) is not a folder, and \(areFolders ? old : new) is one")
        }
        let format = formats.first
        var selection = try self.selection.selection()
        let (comparisons, remarks) =
            areFolders
            ? ComparedCatalog.all(in: old, new, selection: &selection, keepsProducts: format == .html)
            : ([try ComparedCatalog(files: old, new, keepsProducts: format == .html)], [])
        // Mistakes in settings that can be read are reported by `vitrine lint`.
        let unusable = selection.settingsFiles.filter { $0.status > .no }
        let document = areFolders ? json(comparisons) : comparisons.first?.json ?? [:]
        let lines = ComparedCatalog.lines(of: comparisons, areNamed: areFolders)
        let text: String? =
            switch format {
            case .json: try Console.encode(document)
            case .markdown: ChangeComment(comparisons).text
            case .html: ComparisonPage(comparisons, from: old, to: new).text
            case nil, .text: nil
            }
        return Report(
            lines: lines.isEmpty && comparisons.allSatisfy(\.remarks.isEmpty)
                ? [areFolders ? "the catalogs change nothing" : "the new catalog changes nothing"] : lines,
            json: document, status: (comparisons.map(\.status) + unusable.map(\.status)).max() ?? .yes,
            bytes: text.map { Array("\($0)\n".utf8) },
            remarks: (unusable.flatMap { file in file.reportedFindings.map { "\(file.path): \($0.message)" } }
                + remarks + comparisons.flatMap(\.remarks)).map { "warning: \($0)" })
    }

    private func json(_ comparisons: [ComparedCatalog]) -> JSONObject {
        [
            "catalogs": comparisons.map { catalog -> JSONObject in
                [
                    "path": catalog.path, "state": catalog.state.rawValue, "changes": catalog.changes.map(\.json),
                    "failure": catalog.failure,
                ]
            }
        ]
    }
}
