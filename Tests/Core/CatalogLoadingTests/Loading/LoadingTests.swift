import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrinePropertyList
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct LoadingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a missing catalog file and an unreadable one are reported with different error codes`() throws {
        let missing = #expect(throws: CatalogError.self) { try Catalog(usableIn: folder["no.plist"]) }
        #expect(missing?.code == .notFound)

        let directory = #expect(throws: CatalogError.self) { try Catalog(usableIn: folder.url) }
        #expect(directory?.code == .unreadable)
        #expect(directory?.reason == "it is a folder")
    }

    @Test func `a malformed property list is refused with the position of the error`() throws {
        let file = try folder.write("<plist><array><oops/></array></plist>", to: "a.plist")
        let error = #expect(throws: CatalogError.self) { try Catalog(usableIn: file) }

        #expect(error?.code == .notAPropertyList)
        #expect(error?.position?.column == 15)
    }

    @Test func `a catalog with errors is loaded without the products that have errors`() throws {
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

    @Test func `a catalog with errors and without usable products is refused with its diagnostics`() throws {
        let file = try folder.write(PlistText.document("<dict/>"), to: "a.plist")
        let error = #expect(throws: CatalogError.self) { try Catalog(usableIn: file) }

        #expect(error?.code == .noUsableProduct)
        #expect(error?.diagnostics.map(\.rule) == ["root"])
    }

    @Test func `an empty catalog is valid`() throws {
        let file = try folder.write(PlistText.document("<array/>"), to: "a.plist")

        #expect(try Catalog(usableIn: file).products.isEmpty)
    }
}
