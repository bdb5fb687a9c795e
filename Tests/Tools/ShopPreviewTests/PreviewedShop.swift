import Foundation
import VitrineShopPreview
import VitrineTestSupport

/// Previewed shop with a copy of a sample catalog, or with a catalog of the test, in a temporary folder.
struct PreviewedShop {
    let folder: TemporaryFolder
    let shop: PreviewShop

    /// Start date of the shop's clock.
    static let start = Date(timeIntervalSince1970: 1_894_665_600)  // 2030-01-15

    /// Opens the shop of a sample catalog.
    static func sample(_ name: String, content: URL? = nil) async throws -> PreviewedShop {
        let folder = try TemporaryFolder()
        for ending in ["plist", "storekit"] {
            try folder.write(Data(contentsOf: Repository.sample("\(name).\(ending)")), to: "Shop.\(ending)")
        }
        return try await open(folder, store: "Shop.storekit", content: content)
    }

    /// Opens the shop of the products in a property list, without a `.storekit` file.
    static func of(_ products: String, _ prepare: (TemporaryFolder) throws -> Void = { _ in }) async throws
        -> PreviewedShop
    {
        let folder = try TemporaryFolder()
        try folder.write(catalog(products), to: "Shop.plist")
        try prepare(folder)
        return try await open(folder)
    }

    static func catalog(_ products: String) -> String { PlistText.document("<array>\(products)</array>") }

    /// Returns a non-consumable of a catalog.
    static func product(_ identifier: String, title: String? = nil, _ more: String = "") -> String {
        let title = title.map { "<key>productTitle</key><string>\($0)</string>" } ?? ""
        return "<dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><false/>"
            + "\(title)\(more)</dict>\n"
    }

    static func open(_ folder: TemporaryFolder, store: String? = nil, content: URL? = nil) async throws -> PreviewedShop
    {
        PreviewedShop(
            folder: folder,
            shop: try await PreviewShop(
                catalog: folder["Shop.plist"], storeFile: store.map { folder[$0] }, content: content,
                folder: folder["Preview"], clockStart: start, seed: 7))
    }

    func page(_ view: PreviewView = PreviewView(), _ range: Range<Int> = 0..<100) async -> ShopPage {
        await shop.page(view, products: range)
    }

    func card(_ product: String, _ view: PreviewView = PreviewView()) async throws -> ShopCard? {
        await shop.card(product, in: view)
    }

    /// Performs actions, and expects that they succeed.
    @discardableResult
    func perform(_ actions: PreviewAction...) async throws -> PreviewStep? {
        var last: PreviewStep?
        for action in actions { last = try await shop.perform(action) }
        return last
    }

    /// Replaces a file by renaming a new one, as many editors do.
    func replace(_ name: String, by text: String) throws {
        try folder.write(text, to: "\(name).new")
        guard rename(folder["\(name).new"].path(percentEncoded: false), folder[name].path(percentEncoded: false)) == 0
        else { throw POSIXError(.EIO) }
    }

    func text(of name: String) throws -> String { try String(contentsOf: folder[name], encoding: .utf8) }
}
