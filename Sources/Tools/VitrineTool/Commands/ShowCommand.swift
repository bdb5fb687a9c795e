import ArgumentParser
import Foundation
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineSupport

struct ShowCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the products of a catalog.",
        discussion: """
            Products with errors are not shown; diagnostics are printed to standard error, and the exit status is then \
            1.

            EXAMPLE:
              vitrine show Catalogs/Voyager.plist
            """
    )

    @Argument(help: ArgumentHelp("The catalog.", valueName: "file"), completion: .catalog)
    var file: String

    @OptionGroup var output: OutputOptions

    func validate() throws { try PathArgument.validate([file]) }

    func report() throws -> Report {
        let catalog = try Catalog.printingDiagnostics(of: file)
        var table = Table(headings: ["IDENTIFIER", "TYPE", "WALLET", "VALUE", "CHILDREN"])
        table.rows = catalog.products.map { product in
            [
                product.identifier, product.kind.description, product.storageKey ?? "",
                product.productValue.map(String.init) ?? "", product.childProducts.joined(separator: " "),
            ]
        }
        return Report(
            lines: table.lines, json: ["products": catalog.products.map(\.document)],
            status: catalog.hasErrors ? .no : .yes)
    }
}

extension Catalog {
    /// Reads a catalog and prints its diagnostics.
    ///
    /// - Throws: ``ToolFailure`` if the file cannot be read or is not a property list.
    static func printingDiagnostics(of path: String) throws(ToolFailure) -> Catalog {
        do {
            let catalog = try CatalogFile(url: URL(filePath: path, directoryHint: .notDirectory)).catalog
            for line in catalog.generalDiagnostics.flatMap({ $0.lines(path: path) }) { Console.pass(line) }
            return catalog
        } catch {
            throw ToolFailure(status: error.exitStatus, reason: error.description)
        }
    }
}

extension CatalogProduct {
    fileprivate var document: JSONObject {
        [
            "identifier": identifier, "kind": kind, "wallet": storageKey, "value": productValue,
            "children": childProducts, "maxChildren": maxChildren, "content": content?.document,
        ]
    }
}

extension CatalogContent {
    /// JSON object of downloadable content. It contains no URLs if any of the content values in the catalog is
    /// unusable.
    fileprivate var document: JSONObject {
        [
            "version": version, "urls": urls.map(\.absoluteString), "digest": digest.map { "sha256:\($0)" },
            "length": length,
        ]
    }
}
