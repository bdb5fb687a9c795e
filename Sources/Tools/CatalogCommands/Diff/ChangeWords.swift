import VitrineCatalog
internal import VitrineCommandSupport

/// Texts about changes, shared by the comment and the page.
enum ChangeWords {
    static let nothing = "Nothing changes for customers."

    /// Returns the text before and after the name of the command that lists the omitted changes.
    static func rest(_ count: Int) -> (before: String, command: String, after: String) {
        ("… and \(count) more, which ", "vitrine diff", " lists.")
    }
}

extension [ComparedCatalog] {
    /// Catalogs with a change, failure or remark.
    var changed: [ComparedCatalog] {
        filter { !$0.changes.isEmpty || $0.failure != nil || !$0.remarks.isEmpty }
    }

    /// Number of changes by effect, the most severe first, and number of catalogs that could not be compared: "1 change
    /// of offers, 1 catalog not compared".
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
    /// Effect of a change in a few words, for the start of a line.
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
