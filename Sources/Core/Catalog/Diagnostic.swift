public import VitrinePropertyList

/// Result of a rule for a catalog, with its severity and position.
public struct Diagnostic: Sendable, Hashable {
    /// Severity of a diagnostic.
    public enum Severity: String, Sendable, Hashable, Codable, CaseIterable {
        /// The product cannot be sold as declared, and is excluded from the catalog.
        case error
        /// The declaration is probably a mistake, but the product stays in the catalog.
        case warning
        /// The diagnostic is information only.
        case note
    }

    /// An additional position in the catalog file, with an explanatory message.
    public struct Note: Sendable, Hashable {
        public let message: String
        public let position: SourcePosition?
    }

    /// An unambiguous correction of the catalog file.
    public struct Fix: Sendable, Hashable {
        /// Replacement of a part of the catalog file by another text.
        public struct Edit: Sendable, Hashable {
            /// Range of the replaced bytes in the UTF-8 text of the file.
            public let range: Range<Int>
            public let replacement: String
        }

        /// Description of the fix in the imperative: "remove maxChildren".
        public let description: String
        public let edit: Edit
    }

    /// Identifier of the rule, such as `unknown-child`.
    public let rule: String
    public let severity: Severity
    /// Message of the diagnostic: one sentence without a period.
    public let message: String
    /// Position of the diagnostic in the file; `nil` in a catalog created in code.
    public var position: SourcePosition? { location.position }
    let location: SourceLocation
    public let notes: [Note]
    /// Correction of the file; `nil` for a binary file, or if there is no unambiguous correction.
    public let fix: Fix?

    /// Indicates that a product is excluded from the catalog because of the diagnostic.
    package var excludesProduct: Bool { severity == .error || rule == brokenChildRule }

    init(
        rule: String, severity: Severity, message: String, position: SourcePosition?, notes: [Note] = [],
        fix: Fix? = nil
    ) {
        self.init(
            rule: rule, severity: severity, message: message, location: SourceLocation(position), notes: notes, fix: fix
        )
    }

    init(
        rule: String, severity: Severity, message: String, location: SourceLocation, notes: [Note] = [], fix: Fix? = nil
    ) {
        self.rule = rule
        self.severity = severity
        self.message = message
        self.location = location
        self.notes = notes
        self.fix = fix
    }
}

extension Diagnostic {
    /// Returns the diagnostic with another severity.
    func with(_ severity: Severity) -> Diagnostic {
        Diagnostic(rule: rule, severity: severity, message: message, location: location, notes: notes, fix: fix)
    }
}

extension Diagnostic.Fix {
    /// Returns a fix that replaces an element with a text.
    static func replacing(_ value: PropertyListValue, with text: String, _ description: String) -> Diagnostic.Fix? {
        fix(value, value.sourceRange, text, description)
    }

    /// Returns a fix that removes an element of an array, with the white space before it.
    static func removing(_ value: PropertyListValue, _ description: String) -> Diagnostic.Fix? {
        fix(value, value.sourceRangeWithIndentation, "", description)
    }

    /// Returns a fix that removes a value of a dictionary and its key, with the white space before them.
    static func removingEntry(_ value: PropertyListValue, _ description: String) -> Diagnostic.Fix? {
        guard let start = value.precedingKey.sourceRangeWithIndentation?.lowerBound,
            let end = value.sourceRange?.upperBound
        else { return nil }
        return fix(value, start..<end, "", description)
    }

    /// Returns a fix that replaces a range of the file with a text.
    ///
    /// - Returns: `nil` if the edit would remove a comment or a processing instruction.
    private static func fix(
        _ value: PropertyListValue, _ range: Range<Int>?, _ text: String, _ description: String
    ) -> Diagnostic.Fix? {
        guard let range, !value.hasRemarks(in: range) else { return nil }
        return Diagnostic.Fix(description: description, edit: Edit(range: range, replacement: text))
    }
}
