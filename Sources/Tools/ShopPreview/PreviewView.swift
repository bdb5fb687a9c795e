/// View of the shop: language and storefront of the customer, kind of device, and color scheme.
package struct PreviewView: Sendable, Hashable {
    package enum Device: String, Sendable, CaseIterable {
        case phone, tablet, computer
    }

    package enum Scheme: String, Sendable, CaseIterable {
        case light, dark
    }

    /// BCP 47 tag of the customer's language; `nil` for the store's language.
    package var language: String?
    /// Country of the customer as ISO 3166-1 alpha-3 code; `nil` for the store's storefront.
    package var storefront: String?
    package var device: Device
    package var scheme: Scheme

    package init(
        language: String? = nil, storefront: String? = nil, device: Device = .phone, scheme: Scheme = .light
    ) {
        self.language = language
        self.storefront = storefront
        self.device = device
        self.scheme = scheme
    }
}

/// Language or storefront in a list of choices.
package struct PreviewChoice: Sendable, Hashable {
    /// BCP 47 tag of a language, or ISO 3166-1 alpha-3 code of a storefront.
    package let identifier: String
    /// Name of the language or country in English.
    package let name: String
}

/// Fields of a view in a URL or in the file of scenes: `language`, `storefront`, `device` and `scheme`. A missing field
/// has its default value.
extension PreviewView {
    /// Parses a view from its fields; other fields are ignored.
    ///
    /// - Throws: ``PreviewError``: `invalidRequest`.
    package init(fields: [String: String]) throws(PreviewError) {
        self.init()
        if let language = fields["language"], !language.isEmpty {
            guard PreviewLanguages.isTag(language) else {
                throw .invalid("\(language.plain(50)) is not a language such as de or pt-BR")
            }
            self.language = language
        }
        if let storefront = fields["storefront"], !storefront.isEmpty {
            guard PreviewLanguages.isStorefront(storefront) else {
                throw .invalid("\(storefront.plain(50)) is not a country such as JPN")
            }
            self.storefront = storefront
        }
        if let text = fields["device"] {
            guard let device = Device(rawValue: text) else { throw .invalid("\(text.plain(50)) is not a device") }
            self.device = device
        }
        if let text = fields["scheme"] {
            guard let scheme = Scheme(rawValue: text) else { throw .invalid("\(text.plain(50)) is not a color scheme") }
            self.scheme = scheme
        }
    }

    /// Fields of the view, by name. Language and storefront are omitted if they are the store's own.
    package var fields: [String: String] {
        var fields = ["device": device.rawValue, "scheme": scheme.rawValue]
        fields["language"] = language
        fields["storefront"] = storefront
        return fields
    }
}
