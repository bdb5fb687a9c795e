package import Foundation
internal import VitrineFileSystem
package import VitrineShopPreview
internal import VitrineSupport

/// Export of a catalog's scenes (named states of the shop) as static pages in a folder. Each page is one file, which needs
/// no server, no scripts and no other file.
package struct SceneExport {
    /// Exported page of a scene.
    package struct Page: Sendable, Hashable {
        /// Name of the scene.
        package let name: String
        package let view: PreviewView
        package let file: URL
        /// Address that contains the thumbnail.
        fileprivate let thumbnail: String
    }

    /// Maximum number of products on a page.
    private static let productLimit = 600

    private let shop: PreviewShop
    private let folder: URL
    private let hidesWarnings: Bool
    private let templates: PageTemplates

    /// Prepares an export; ``write()`` creates the pages.
    ///
    /// - Parameters:
    ///   - folder: Folder for the pages. It is created if necessary; other files in it are preserved.
    ///   - hidesWarnings: `true` to leave out warnings and notes about the catalog.
    package init(of shop: PreviewShop, to folder: URL, hidesWarnings: Bool = false) throws(PreviewError) {
        (self.shop, self.folder, self.hidesWarnings) = (shop, folder, hidesWarnings)
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
    ///
    /// - Throws: ``PreviewError``: `unusableData` if the file of scenes is unusable.
    package func write() async throws(PreviewError) -> [Page] {
        try await shop.checkScenes()
        try create(folder)
        let scenes = await shop.scenes
        let names = scenes.isEmpty ? ["Shop"] : scenes.map(\.name)
        let files = Self.fileNames(names)
        var pages: [Page] = []
        for (index, name) in names.enumerated() {
            let view = scenes.isEmpty ? PreviewView(device: .computer) : try await shop.open(scene: name)
            let page = await shop.page(view, products: 0..<Self.productLimit)
            var values = ShopValues(
                page: page, query: ViewQuery(view), isStatic: true, imageFiles: await images(of: page),
                hidesWarnings: hidesWarnings)
            for card in page.cards { values.reasons[card.identifier] = await shop.why(card.identifier) }
            let own: PageValues = [
                "sceneName": name, "viewName": view.description,
                "previousScene": index > 0 ? files[index - 1] as Any : false,
                "nextScene": index + 1 < files.count ? files[index + 1] as Any : false,
            ]
            try write(templates.render("scene", values.all.merging(own) { $1 }), to: files[index])
            let thumbnail = SceneThumbnail(overview: await shop.overview(view)).svg(templates)
            pages.append(
                Page(
                    name: name, view: view, file: folder.appending(path: files[index]),
                    thumbnail: Self.address(of: Data(thumbnail.utf8), SceneThumbnail.mediaType)))
        }
        try await writeList(of: pages)
        return pages
    }

    private func writeList(of pages: [Page]) async throws(PreviewError) {
        let catalog = await shop.page(PreviewView(), products: 0..<0).catalogName
        let scenes = pages.map { page -> PageValues in
            [
                "name": page.name, "file": page.file.lastPathComponent, "viewName": page.view.description,
                "thumbnail": page.thumbnail,
            ]
        }
        let values: PageValues = ["catalogName": catalog, "scenes": scenes, "iconAddress": Self.iconAddress]
        try write(templates.render("index", values), to: "index.html")
    }

    /// Returns addresses that contain the images of a page, by their identifiers.
    private func images(of page: ShopPage) async -> [String: String] {
        var addresses: [String: String] = [:]
        for identifier in page.cards.compactMap(\.icon) + page.featured.compactMap(\.featuredImage)
        where addresses[identifier] == nil {
            guard let image = await shop.image(identifier) else { continue }
            addresses[identifier] = Self.address(of: image.data, image.mediaType)
        }
        return addresses
    }

    /// Address that contains the page's own icon.
    static let iconAddress = address(of: Data(PackageResources.icon_svg), "image/svg+xml")

    /// Returns an address that contains data (RFC 2397).
    static func address(of data: Data, _ mediaType: String) -> String {
        "data:\(mediaType);base64,\(data.base64EncodedString())"
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

    /// Element of the templates that refers to the style sheet. Escaped texts do not contain it.
    private static let styleLink = "<link rel=\"stylesheet\" href=\"style.css\">"

    /// Writes a page that contains the style sheet.
    private func write(_ page: String, to name: String) throws(PreviewError) {
        let file = folder.appending(path: name)
        let style = "<style>\(String(decoding: PackageResources.style_css, as: UTF8.self))</style>"
        do {
            try Data(page.replacing(Self.styleLink, with: style, maxReplacements: 1).utf8).write(to: file)
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
