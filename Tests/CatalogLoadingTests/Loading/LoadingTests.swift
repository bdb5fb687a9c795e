import CatalogLoading
import Foundation
import ProductCatalog
import PropertyList
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(45))) struct LoadingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a file that is not there is told from one that cannot be read`() throws {
        let missing = #expect(throws: CatalogError.self) { try Catalog(usableIn: folder["no.plist"]) }
        #expect(missing?.code == .notFound)

        let directory = #expect(throws: CatalogError.self) { try Catalog(usableIn: folder.url) }
        #expect(directory?.code == .unreadable)
        #expect(directory?.reason == "it is a folder")
    }

    @Test func `what is no property list is refused with its place`() throws {
        let file = try folder.write("<plist><array><oops/></array></plist>", to: "a.plist")
        let error = #expect(throws: CatalogError.self) { try Catalog(usableIn: file) }

        #expect(error?.code == .notAPropertyList)
        #expect(error?.position?.column == 15)
    }

    @Test func `a catalog with errors is loaded without the products that have them`() throws {
        let file = try folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>b</string></dict></array>
                """), to: "a.plist")
        let catalog = try Catalog(usableIn: file)

        #expect(catalog.products.map(\.identifier) == ["a"])
        #expect(catalog.hasErrors)
    }

    @Test func `a catalog in which nothing can be used is refused with its diagnostics`() throws {
        let file = try folder.write(PlistText.document("<dict/>"), to: "a.plist")
        let error = #expect(throws: CatalogError.self) { try Catalog(usableIn: file) }

        #expect(error?.code == .noUsableProduct)
        #expect(error?.diagnostics.map(\.rule) == ["root"])
    }

    @Test func `an empty catalog is a catalog`() throws {
        let file = try folder.write(PlistText.document("<array/>"), to: "a.plist")

        #expect(try Catalog(usableIn: file).products.isEmpty)
    }
}
