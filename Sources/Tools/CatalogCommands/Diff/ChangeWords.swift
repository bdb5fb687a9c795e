import VitrineCatalog
internal import VitrineCommandSupport

/// Words about changes that a comment and a page share.
enum ChangeWords {
    static let nothing = "Nothing changes for customers."

    /// Returns the words that stand before and after the name of the command that lists what was left out.
    static func rest(_ count: Int) -> (before: String, command: String, after: String) {
        ("… and \(count) more, which ", "vitrine diff", " lists.")
    }
}

extension [ComparedCatalog] {
    /// Catalogs about which there is something to say.
    var changed: [ComparedCatalog] {
        filter { !$0.changes.isEmpty || $0.failure != nil || !$0.remarks.isEmpty }
    }

    /// Number of changes of each effect, the gravest first, and of the catalogs that could not be compared: "1 change of
    /// offers, 1 catalog not compared".
    var changeCounts: String {
        let effects = CatalogComparison.Effect.allCases.reversed().compactMap { effect -> String? in
            let count = reduce(0) { $0 + $1.changes.count { $0.effect == effect } }
            return count == 0 ? nil : effect.summary(count)
        }
        let failures = count { $0.failure != nil }
        let uncompared = failures == 0 ? [] : ["\(failures.with("catalog")) not compared"]
        let parts = effects + uncompared
        return parts.isEmpty ? "No change of products" : parts.joined(separator: ", ").capitalizedFirst
    }
}

extension CatalogComparison.Effect {
    /// Effect in one or two words, for the beginning of a line.
    var words: String {
        switch self {
        case .safe: "safe"
        case .offer: "offer"
        case .olderApps: "breaks older apps"
        case .takesAway: "takes away"
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
