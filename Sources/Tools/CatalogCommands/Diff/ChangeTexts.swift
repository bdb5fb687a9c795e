import VitrineCatalog
internal import VitrineCommandSupport

/// Texts about catalog changes, shared by the pull request comment and the HTML page.
enum ChangeTexts {
    static let nothing = "Nothing changes for customers."

    /// Returns a note about omitted changes: the command that lists them, and the text before and after its name.
    ///
    /// - Parameter count: Number of omitted changes.
    static func rest(_ count: Int) -> (before: String, command: String, after: String) {
        ("… and \(count) more, which ", "vitrine diff", " lists.")
    }
}

extension [ComparedCatalog] {
    /// Catalogs with a change, failure or remark.
    var changed: [ComparedCatalog] {
        filter { !$0.changes.isEmpty || $0.failure != nil || !$0.remarks.isEmpty }
    }

    /// Summary of the changes: their number by effect, the most severe first, and the number of catalogs that could not
    /// be compared, such as "1 change of offers, 1 catalog not compared".
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
    var description: String {
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
