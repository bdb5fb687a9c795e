import VitrineCatalog
internal import VitrineCommandSupport

/// Markdown comment for a pull request that describes the effects of catalog changes on customers.
struct ChangeComment {
    let text: String

    /// Maximum length of the comment's text in bytes. GitHub accepts 65,536 characters; the rest is reserved for the
    /// marker by which the comment is found again.
    private static let longest = 65_000

    init(_ catalogs: [ComparedCatalog]) {
        let changed = catalogs.changed
        guard !changed.isEmpty else {
            text = "### Catalogs\n\n\(ChangeTexts.nothing)"
            return
        }
        var text = "### Catalogs\n\n\(Self.summary(changed))"
        var lines = Self.lines(changed)[...]
        while let line = lines.first, text.utf8.count + line.utf8.count < Self.longest {
            text += line
            lines = lines.dropFirst()
        }
        let rest = ChangeTexts.rest(lines.count)
        self.text = lines.isEmpty ? text : text + "\n\n\(rest.before)`\(rest.command)`\(rest.after)"
    }

    private static func summary(_ catalogs: [ComparedCatalog]) -> String {
        "\(catalogs.changeCounts) in \(catalogs.count == 1 ? code(catalogs[0].path) : "\(catalogs.count) catalogs")."
    }

    /// Returns the lines of the comment, with the most severe changes of all catalogs first, because the end may be cut
    /// off.
    private static func lines(_ catalogs: [ComparedCatalog]) -> [String] {
        var lines: [String] = []
        for effect in CatalogComparison.Effect.allCases.reversed() {
            let items = catalogs.flatMap { catalog in
                catalog.changes.filter { $0.effect == effect }.map { change in
                    "\n- \(change.product.map(code) ?? "The catalog") \(escaped(change.message))"
                        + (catalogs.count == 1 ? "" : ", in \(code(catalog.path))")
                }
            }
            // The heading is part of its first item, so that it is never the last line.
            lines += items.enumerated().map { $0 == 0 ? "\n\n**\(effect.heading)**\n\($1)" : $1 }
            if effect == .takesAway { lines += catalogs.flatMap(notes) }
        }
        return lines
    }

    /// Returns notes about a catalog as a whole: that it was added or removed, or could not be compared.
    private static func notes(_ catalog: ComparedCatalog) -> [String] {
        var notes: [String] = []
        if catalog.state != .changed { notes.append("\(code(catalog.path)) is \(catalog.state.rawValue).") }
        if let failure = catalog.failure { notes.append("\(code(catalog.path)) was not compared: \(code(failure))") }
        return (notes + catalog.remarks.map(code)).map { "\n\n> \($0)" }
    }

    /// Returns a message with its quoted parts as inline code. `String.quoted` has escaped the quotes within the parts,
    /// so that no text from a catalog gets outside of the code.
    private static func escaped(_ message: String) -> String {
        var (text, quoted): (String.UnicodeScalarView, String.UnicodeScalarView?) = (.init(), nil)
        var isEscaped = false
        // Scalars are compared, because a quote followed by a combining mark is a different character.
        for scalar in message.withoutControlCharacters.unicodeScalars {
            switch (quoted, scalar) {
            case (let open?, "\"") where !isEscaped:
                text += code(String(open)).unicodeScalars
                quoted = nil
            case (nil, "\""): quoted = .init()
            case (nil, _):
                if "<>&`*_[]|#@\\~".unicodeScalars.contains(scalar) { text.append("\\") }
                text.append(scalar)
            case (_?, _): quoted?.append(scalar)
            }
            isEscaped = scalar == "\\" && !isEscaped
        }
        return String(text) + (quoted.map { code(String($0)) } ?? "")
    }

    /// Returns a text as inline code, shortened to 200 scalars, so that mentions, links and markup in it have no
    /// effect.
    private static func code(_ text: String) -> String {
        let whole = text.withoutControlCharacters.unicodeScalars
        let text = String(String.UnicodeScalarView(whole.prefix(200))) + (whole.count > 200 ? "…" : "")
        let backtick = UInt8(ascii: "`")
        let longestFence = text.utf8.split { $0 != backtick }.map(\.count).max() ?? 0
        let fence = String(repeating: "`", count: longestFence + 1)
        let padding = text.utf8.first == backtick || text.utf8.last == backtick || text.isEmpty ? " " : ""
        return fence + padding + text + padding + fence
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
}
