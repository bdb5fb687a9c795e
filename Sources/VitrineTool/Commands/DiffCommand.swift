import ArgumentParser
import Foundation
import ProductCatalog

struct DiffCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what changes if one catalog replaces another.",
        discussion: """
            Lists each change with its effect: it is safe, changes an offer, breaks older apps, or takes products away \
            from customers. For a subscription, the change also says what it means for its subscribers. The exit \
            status is 1 if a change takes products away.

            EXAMPLE:
              vitrine diff Catalogs/Voyager.plist NewVoyager.plist
            """
    )

    @Argument(help: ArgumentHelp("The catalog in use.", valueName: "old"))
    var old: String

    @Argument(help: ArgumentHelp("The catalog that replaces it.", valueName: "new"))
    var new: String

    @OptionGroup var output: OutputOptions

    func report() throws -> Report {
        let comparison = CatalogComparison(from: try read(old), to: try read(new))
        let lines = comparison.changes.map { change in
            "\(change.effect.words): \(change.product ?? "the catalog") \(change.message)"
        }
        return Report(
            lines: lines.isEmpty ? ["the new catalog changes nothing"] : lines,
            json: [
                "changes": comparison.changes.map { change -> JSONObject in
                    ["effect": change.effect.rawValue, "product": change.product, "message": change.message]
                }
            ],
            status: comparison.changes.contains { $0.effect == .takesAway } ? .no : .yes)
    }

    private func read(_ path: String) throws -> Catalog {
        let catalog: Catalog
        do {
            catalog = try CatalogFile(url: URL(filePath: path, directoryHint: .notDirectory)).catalog
        } catch {
            throw ToolFailure(status: error.exitStatus, reason: error.description)
        }
        if catalog.hasErrors {
            Console.say("warning: \(path) has products with errors, which are not compared; 'vitrine lint' shows them")
        }
        return catalog
    }
}

extension CatalogComparison.Effect {
    fileprivate var words: String {
        switch self {
        case .safe: "safe"
        case .offer: "offer"
        case .olderApps: "breaks older apps"
        case .takesAway: "takes away"
        }
    }
}
