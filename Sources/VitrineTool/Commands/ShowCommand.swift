import ArgumentParser
import Foundation
import ProductCatalog

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

    @Argument(help: ArgumentHelp("The catalog.", valueName: "file"))
    var file: String

    @OptionGroup var output: OutputOptions

    func report() throws -> Report {
        let catalog: Catalog
        do {
            catalog = try CatalogFile(url: URL(filePath: file, directoryHint: .notDirectory)).catalog
        } catch {
            throw ToolFailure(status: error.exitStatus, reason: error.description)
        }
        for line in catalog.diagnostics.flatMap({ $0.lines(path: file) }) { Console.pass(line) }
        var table = Table(headings: ["IDENTIFIER", "TYPE", "WALLET", "VALUE", "CHILDREN"])
        table.rows = catalog.products.map { product in
            [
                product.identifier, product.kind.words, product.storageKey ?? "",
                product.productValue.map(String.init) ?? "", product.childProducts.joined(separator: " "),
            ]
        }
        return Report(
            lines: table.lines,
            json: Document(products: catalog.products.map(Document.Product.init)),
            status: catalog.hasErrors ? .no : .yes
        )
    }

    private struct Document: Encodable {
        struct Product: Encodable {
            let identifier: String
            let kind: ProductKind
            let wallet: String?
            let value: Int?
            let children: [String]
            let maxChildren: Int?
            let content: Content?

            init(_ product: CatalogProduct) {
                identifier = product.identifier
                kind = product.kind
                wallet = product.storageKey
                value = product.productValue
                children = product.childProducts
                maxChildren = product.maxChildren
                content = product.content.map(Content.init)
            }
        }

        /// Downloadable content of a product; without URLs if part of it is unusable.
        struct Content: Encodable {
            let version: String?
            let urls: [String]
            let digest: String?
            let length: Int?

            init(_ content: CatalogContent) {
                version = content.version
                urls = content.urls.map(\.absoluteString)
                digest = content.digest.map { "sha256:\($0)" }
                length = content.length
            }
        }

        let products: [Product]
    }
}
