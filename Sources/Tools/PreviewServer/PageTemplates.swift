internal import Foundation
internal import Mustache

/// Mustache templates of the preview's pages.
struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// Parses the templates, which are embedded in the program.
    init() throws {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for (name, bytes) in Self.sources {
            // Each template needs the pragma, because templates without it use the library's default content type.
            let text = "{{% CONTENT_TYPE:\(PageText.name)}}" + String(decoding: bytes, as: UTF8.self)
            try library.register(text, named: name)
        }
        self.library = library
    }

    func render(_ name: String, _ values: PageValues) -> String {
        library.render(values, withTemplate: name) ?? ""
    }

    static let sources: [String: [UInt8]] = [
        "card": PackageResources.card_mustache, "counter": PackageResources.counter_mustache,
        "fields": PackageResources.fields_mustache, "index": PackageResources.index_mustache,
        "notice": PackageResources.notice_mustache, "reasons": PackageResources.reasons_mustache,
        "page": PackageResources.page_mustache,
        "parts": PackageResources.parts_mustache, "scene": PackageResources.scene_mustache,
        "shop": PackageResources.shop_mustache, "timeline": PackageResources.timeline_mustache,
        "thumbnail": PackageResources.thumbnail_mustache, "toolbar": PackageResources.toolbar_mustache,
    ]
}

/// Template values by name. A section is omitted if its value is `false` or an empty list.
typealias PageValues = [String: Any]
