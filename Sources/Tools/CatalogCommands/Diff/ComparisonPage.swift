import VitrineCatalog
internal import VitrineCommandSupport

/// HTML page that shows changed products of two catalogs, or of all catalogs in two folders, side by side.
struct ComparisonPage {
    let text: String

    /// Maximum number of entries: products, changes of catalogs, and remarks.
    private static let mostEntries = 1_000
    /// Maximum total length of the page's entries in bytes; only the last entry may exceed it.
    private static let longest = 4_000_000

    /// Creates a page that compares catalogs.
    ///
    /// - Parameters:
    ///   - catalogs: Compared catalogs with their products.
    ///   - old: Name of the older file or folder.
    ///   - new: Name of the newer file or folder.
    init(_ catalogs: [ComparedCatalog], from old: String, to new: String) {
        let catalogs = catalogs.changed
        var sections = catalogs.map { Section(path: $0.path) }
        var entries = Self.entries(catalogs)[...]
        var length = 0
        while let entry = entries.first, entries.startIndex < Self.mostEntries, length < Self.longest {
            let html = entry.html
            length += html.markup.utf8.count
            sections[entry.catalog].append(html, of: entry)
            entries = entries.dropFirst()
        }
        let names: HTMLText = "from <code>\(old)</code> to <code>\(new)</code>"
        let content: HTMLText = """
            <h1>Catalogs</h1>
            <p>Changes \(names).</p>
            \(Self.summary(catalogs))
            \(sections.map(\.html).joined())\(Self.rest(entries.count))
            """
        self.text = Self.document(title: "Changes of catalogs from \(old) to \(new)", content).markup
    }

    private static func summary(_ catalogs: [ComparedCatalog]) -> HTMLText {
        guard let first = catalogs.first else { return "<p>\(plain: ChangeTexts.nothing)</p>" }
        let place: HTMLText =
            catalogs.count == 1 ? "<code>\(first.path)</code>" : "\(plain: "\(catalogs.count) catalogs")"
        return "<p class=\"summary\">\(plain: catalogs.changeCounts) in \(place).</p>"
    }

    private static func rest(_ count: Int) -> HTMLText {
        let rest = ChangeTexts.rest(count)
        return count == 0
            ? ""
            : "<p class=\"note\">\(plain: rest.before)<code>\(plain: rest.command)</code>\(plain: rest.after)</p>\n"
    }

    /// Returns the entries of the page with the most severe effects first, because the end may be cut off.
    private static func entries(_ catalogs: [ComparedCatalog]) -> [Entry] {
        let entries = catalogs.enumerated().flatMap { index, catalog in
            catalog.notes.map { Entry(catalog: index, subject: .note($0)) }
                + catalog.changes.filter { $0.product == nil }.map { Entry(catalog: index, subject: .change($0)) }
                + catalog.products.map { Entry(catalog: index, subject: .product($0)) }
        }
        let byEffect = Dictionary(grouping: entries, by: \.effect)
        return CatalogComparison.Effect.allCases.reversed().flatMap { byEffect[$0] ?? [] }
    }
}

extension ComparisonPage {
    /// Entry of the page, which is either shown completely or omitted: a product, a change of a catalog, or a remark.
    fileprivate struct Entry {
        enum Subject {
            case note(HTMLText)
            case change(CatalogComparison.Change)
            case product(ComparedProduct)
        }

        /// Index of the entry's catalog.
        let catalog: Int
        let subject: Subject

        /// Most severe effect of the entry. A remark about a catalog has the highest severity.
        var effect: CatalogComparison.Effect {
            switch subject {
            case .note: .takesAway
            case .change(let change): change.effect
            case .product(let product): product.changes.map(\.effect).max() ?? .safe
            }
        }

        var html: HTMLText {
            switch subject {
            case .note(let note): "<p class=\"note\">\(note)</p>\n"
            case .change(let change): change.item(of: "the catalog ")
            case .product(let product): product.rows
            }
        }
    }

    /// Section of the page about one catalog.
    fileprivate struct Section {
        let path: String
        private var notes: [HTMLText] = []
        private var changes: [HTMLText] = []
        private var products: [HTMLText] = []

        init(path: String) { self.path = path }

        mutating func append(_ html: HTMLText, of entry: Entry) {
            switch entry.subject {
            case .note: notes.append(html)
            case .change: changes.append(html)
            case .product: products.append(html)
            }
        }

        var html: HTMLText {
            guard !notes.isEmpty || !changes.isEmpty || !products.isEmpty else { return "" }
            let list: HTMLText = changes.isEmpty ? "" : "<ul class=\"changes\">\n\(changes.joined())</ul>\n"
            return """
                <section>
                <h2><code>\(path)</code></h2>
                \(notes.joined())\(list)\(products.isEmpty ? "" : table)</section>

                """
        }

        private var table: HTMLText {
            """
            <table>
            <caption>Products of <code>\(path)</code> that change. A minus sign marks what is no longer so, a plus sign
            what is new.</caption>
            <thead><tr><th scope="col">Property</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>
            \(products.joined())</table>

            """
        }
    }
}

extension ComparedCatalog {
    /// Notes about the catalog as a whole: that it was added or removed, was not compared, or only in part.
    fileprivate var notes: [HTMLText] {
        var notes: [HTMLText] = []
        if state != .changed { notes.append("<code>\(path)</code> is \(plain: state.rawValue).") }
        if let failure { notes.append("<code>\(path)</code> was not compared: \(failure)") }
        return notes + remarks.map { "\($0)" }
    }
}

extension ComparedProduct {
    /// Table rows of the product: its identifier, properties and changes.
    fileprivate var rows: HTMLText {
        """
        <tbody>
        <tr><th scope="rowgroup" colspan="3"><code>\(identifier)</code></th></tr>
        \(properties.map(\.row).joined())<tr><td colspan="3"><ul class="changes">
        \(changes.map { $0.item() }.joined())</ul></td></tr>
        </tbody>

        """
    }
}

extension CatalogComparison.Change {
    /// Returns the change with its effect as list item.
    ///
    /// - Parameter subject: Text before the message.
    fileprivate func item(of subject: String = "") -> HTMLText {
        let name: HTMLText =
            effect == .takesAway
            ? "<strong class=\"grave\">\(plain: effect.description)</strong>"
            : "<strong>\(plain: effect.description)</strong>"
        return "<li>\(name): \(plain: subject)\(message)</li>\n"
    }
}
