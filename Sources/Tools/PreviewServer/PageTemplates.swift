internal import Foundation
internal import Mustache

/// Templates of the pages.
struct PageTemplates: Sendable {
    private let library: MustacheLibrary

    /// Reads the templates, which are part of the program.
    init() throws {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for (name, bytes) in Self.sources {
            // The pragma stands in each template, because each has the library's own content type otherwise.
            let text = "{{% CONTENT_TYPE:\(PageText.name)}}" + String(decoding: bytes, as: UTF8.self)
            try library.register(text, named: name)
        }
        self.library = library
    }

    /// Returns a page or a part of one.
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
        "toolbar": PackageResources.toolbar_mustache,
    ]
}

/// Values for a template by their names. A section is left out for `false` and for an empty list.
typealias PageValues = [String: Any]
