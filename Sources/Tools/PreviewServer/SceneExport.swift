package import Foundation
internal import VitrineFileSystem
package import VitrineShopPreview
internal import VitrineSupport

/// Export of a catalog's scenes (named states of the shop) as static pages in a folder. The pages need no server and no
/// scripts.
package struct SceneExport {
    /// Exported page of a scene.
    package struct Page: Sendable, Hashable {
        /// Name of the scene.
        package let name: String
        package let view: PreviewView
        package let file: URL
    }

    /// Maximum number of products on a page.
    private static let productLimit = 600

    private let shop: PreviewShop
    private let folder: URL
    private let templates: PageTemplates

    /// Prepares an export; ``write()`` creates the pages.
    ///
    /// - Parameter folder: Folder for the pages. It is created if necessary; other files in it are preserved.
    package init(of shop: PreviewShop, to folder: URL) throws(PreviewError) {
        (self.shop, self.folder) = (shop, folder)
        do {
            templates = try PageTemplates()
        } catch {
            throw PreviewError(code: .unusableData, reason: "the templates of the pages cannot be read: \(error)")
        }
    }

    /// Writes a page for each scene, or for the current shop if there are no scenes, and an index page with links to
    /// them.
    ///
    /// Afterwards, the shop is in the state of the last scene.
    package func write() async throws(PreviewError) -> [Page] {
        try create(folder)
        try write(PackageResources.style_css, to: "style.css")
        try write(PackageResources.icon_svg, to: "icon.svg")
        let scenes = await shop.scenes
        let names = scenes.isEmpty ? ["Shop"] : scenes.map(\.name)
        let files = Self.fileNames(names)
        var (pages, images): ([Page], [String: String]) = ([], [:])
        for (index, name) in names.enumerated() {
            let view = scenes.isEmpty ? PreviewView(device: .computer) : try await shop.open(scene: name)
            let page = await shop.page(view, products: 0..<Self.productLimit)
            try await writeImages(of: page, &images)
            var values = ShopValues(page: page, query: ViewQuery(view), isStatic: true, imageFiles: images)
            for card in page.cards { values.reasons[card.identifier] = await shop.why(card.identifier) }
            let own: PageValues = [
                "sceneName": name, "viewName": view.description,
                "previousScene": index > 0 ? files[index - 1] as Any : false,
                "nextScene": index + 1 < files.count ? files[index + 1] as Any : false,
            ]
            let text = templates.render("scene", values.all.merging(own) { $1 })
            try write(Array(text.utf8), to: files[index])
            pages.append(Page(name: name, view: view, file: folder.appending(path: files[index])))
        }
        try await writeList(of: pages)
        return pages
    }

    private func writeList(of pages: [Page]) async throws(PreviewError) {
        let catalog = await shop.page(PreviewView(), products: 0..<0).catalogName
        let scenes = pages.map { page -> PageValues in
            ["name": page.name, "file": page.file.lastPathComponent, "viewName": page.view.description]
        }
        let text = templates.render("index", ["catalogName": catalog, "scenes": scenes])
        try write(Array(text.utf8), to: "index.html")
    }

    /// Writes the images of a page, unless they were already written for an earlier page.
    private func writeImages(of page: ShopPage, _ files: inout [String: String]) async throws(PreviewError) {
        let cards = page.cards + page.featured
        for identifier in cards.compactMap(\.icon) + page.featured.compactMap(\.featuredImage)
        where files[identifier] == nil {
            guard let image = await shop.image(identifier) else { continue }
            if files.isEmpty { try create(folder.appending(path: "images")) }
            let name = "images/\(files.count + 1).\(Self.extension(of: image.mediaType))"
            try write(Array(image.data), to: name)
            files[identifier] = name
        }
    }

    private static func `extension`(of mediaType: String) -> String {
        switch mediaType {
        case "image/jpeg": "jpg"
        case "image/svg+xml": "svg"
        default: String(mediaType.split(separator: "/").last ?? "image")
        }
    }

    /// Returns a unique file name for each scene: the ASCII letters and digits of its name, and a number if necessary.
    static func fileNames(_ names: [String]) -> [String] {
        var used: Set = ["index"]
        return names.map { name in
            let parts = name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
            let plain = String(parts.joined(separator: "-").prefix(60))
            let base = plain.isEmpty ? "scene" : plain
            var file = base
            var number = 2
            while !used.insert(file).inserted {
                file = "\(base)-\(number)"
                number += 1
            }
            return "\(file).html"
        }
    }

    // MARK: Files

    private func create(_ folder: URL) throws(PreviewError) {
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw failure(folder, error)
        }
    }

    private func write(_ bytes: [UInt8], to name: String) throws(PreviewError) {
        let file = folder.appending(path: name)
        do {
            try Data(bytes).write(to: file)
        } catch {
            throw failure(file, error)
        }
    }

    private func failure(_ file: URL, _ error: any Error) -> PreviewError {
        PreviewError(
            code: .storage, reason: "\(file.relativePath) cannot be written: \(BoundedFile.reason(for: error))")
    }
}

extension PreviewView {
    /// Description of the view, such as "phone, dark, de, JPN".
    package var description: String {
        ([device.rawValue, scheme.rawValue] + [language, storefront].compactMap(\.self)).joined(separator: ", ")
    }
}
