import ProductCatalog

/// Comment on a pull request, in Markdown, that says what changes for customers.
struct ChangeComment {
    let text: String

    /// Greatest length in bytes. GitHub accepts 65,536 characters; the rest is room for a marker.
    private static let longest = 65_000

    init(_ catalogs: [ComparedCatalog]) {
        let sections = catalogs.filter { !$0.changes.isEmpty || $0.failure != nil || !$0.remarks.isEmpty }
        guard !sections.isEmpty else {
            text = "### Catalogs\n\nNothing changes for customers."
            return
        }
        var text = "### Catalogs\n\n\(Self.summary(sections))"
        var omitted = 0
        for section in sections {
            for line in Self.lines(section) {
                guard omitted == 0, text.utf8.count + line.text.utf8.count < Self.longest else {
                    omitted += line.isItem ? 1 : 0
                    continue
                }
                text += line.text
            }
        }
        if omitted > 0 { text += "\n\n… and \(omitted) more, which `vitrine diff` lists." }
        self.text = text
    }

    private static func summary(_ catalogs: [ComparedCatalog]) -> String {
        let effects = CatalogComparison.Effect.allCases.reversed().compactMap { effect -> String? in
            let count = catalogs.reduce(0) { $0 + $1.changes.count { $0.effect == effect } }
            return count == 0 ? nil : effect.summary(count)
        }
        return effects.isEmpty ? "No product changes." : effects.joined(separator: ", ").capitalizedFirst + "."
    }

    /// Returns the text of a catalog: its heading, and a line for each change, those with the gravest effect first.
    private static func lines(_ catalog: ComparedCatalog) -> [(text: String, isItem: Bool)] {
        var lines = [(text: "\n\n#### \(code(catalog.path))\(catalog.state.words)", isItem: false)]
        let notes =
            (catalog.failure.map { ["This catalog was not compared: \(escaped($0))"] } ?? [])
            + catalog.remarks.map { escaped($0) }
        lines += notes.map { ("\n\n> \($0)", true) }
        for effect in CatalogComparison.Effect.allCases.reversed() {
            let changes = catalog.changes.filter { $0.effect == effect }
            guard !changes.isEmpty else { continue }
            lines.append(("\n\n**\(effect.heading)**\n", false))
            lines += changes.map { change in
                ("\n- \(change.product.map(code) ?? "The catalog") \(escaped(change.message))", true)
            }
        }
        return lines
    }

    /// Returns a text with what stands in quotes as code, and without characters that mean something in Markdown.
    private static func escaped(_ text: String) -> String {
        let parts = text.withoutControlCharacters.split(separator: "\"", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            // After an odd number of quotes, up to the next one.
            index % 2 == 1 && index < parts.count - 1
                ? code(String(part)) : part.map { "<>&`*_[]|#@\\~".contains($0) ? "\\\($0)" : String($0) }.joined()
        }.joined()
    }

    /// Returns a text as code, in which nothing is a mention, a link or markup.
    private static func code(_ text: String) -> String {
        let text = text.withoutControlCharacters
        let longestFence = text.split { $0 != "`" }.map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longestFence + 1)
        let padding = text.hasPrefix("`") || text.hasSuffix("`") || text.isEmpty ? " " : ""
        return fence + padding + text + padding + fence
    }
}

extension ComparedCatalog.State {
    fileprivate var words: String {
        switch self {
        case .changed: ""
        case .added: " (new)"
        case .removed: " (removed)"
        }
    }
}

extension CatalogComparison.Effect {
    fileprivate var heading: String {
        switch self {
        case .safe: "Takes nothing away and changes no offer"
        case .offer: "Changes what customers can buy"
        case .olderApps: "Affects apps that are installed already"
        case .takesAway: "Takes something away from customers"
        }
    }

    fileprivate func summary(_ count: Int) -> String {
        let changes = count == 1 ? "1 change" : "\(count) changes"
        return switch self {
        case .safe: "\(changes) without an effect on offers"
        case .offer: "\(changes) of offers"
        case .olderApps: "\(changes) that affect\(count == 1 ? "s" : "") installed apps"
        case .takesAway: "\(changes) that take\(count == 1 ? "s" : "") something away from customers"
        }
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
