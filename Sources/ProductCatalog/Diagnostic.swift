public import PropertyList

/// Something that a rule found in a catalog.
public struct Diagnostic: Sendable, Hashable {
    /// How much a finding matters.
    public enum Severity: String, Sendable, Hashable, Codable, CaseIterable {
        /// The product cannot be sold as it stands there, and is left out.
        case error
        /// Probably not what was meant; the product is used.
        case warning
        /// Worth knowing.
        case note
    }

    /// A further place that explains the finding.
    public struct Note: Sendable, Hashable {
        public let message: String
        public let position: SourcePosition?
    }

    /// The one safe answer to a finding: what to write in the file instead.
    public struct Fix: Sendable, Hashable {
        /// A part of the file and what it is replaced by.
        public struct Edit: Sendable, Hashable {
            /// Bytes of the text in UTF-8.
            public let range: Range<Int>
            public let replacement: String
        }

        /// What is done, as an order: "remove maxChildren".
        public let description: String
        public let edit: Edit
    }

    /// The identifier of the rule, such as `unknown-child`.
    public let rule: String
    public let severity: Severity
    /// What was found and what to do about it, in one sentence without a full stop.
    public let message: String
    /// Where; `nil` in a catalog that was made in code.
    public var position: SourcePosition? { place.position }
    let place: Place
    public let notes: [Note]
    /// What would put it right; `nil` where there is no one safe answer, and in a file that is no text.
    public let fix: Fix?

    init(
        rule: String, severity: Severity, message: String, position: SourcePosition?, notes: [Note] = [],
        fix: Fix? = nil
    ) {
        self.init(
            rule: rule, severity: severity, message: message, place: Place(position), notes: notes, fix: fix)
    }

    init(
        rule: String, severity: Severity, message: String, place: Place, notes: [Note] = [], fix: Fix? = nil
    ) {
        self.rule = rule
        self.severity = severity
        self.message = message
        self.place = place
        self.notes = notes
        self.fix = fix
    }
}

extension Diagnostic.Fix {
    /// Writes something else in the place of an element.
    static func replacing(_ value: PropertyListValue, with text: String, _ description: String) -> Diagnostic.Fix? {
        fix(value, value.sourceRange, text, description)
    }

    /// Removes an element of an array, with the white space before it.
    static func removing(_ value: PropertyListValue, _ description: String) -> Diagnostic.Fix? {
        fix(value, value.sourceRangeWithIndentation, "", description)
    }

    /// Removes a value of a dictionary and its key, with the white space before them.
    static func removingEntry(_ value: PropertyListValue, _ description: String) -> Diagnostic.Fix? {
        guard let start = value.precedingKey.sourceRangeWithIndentation?.lowerBound,
            let end = value.sourceRange?.upperBound
        else { return nil }
        return fix(value, start..<end, "", description)
    }

    /// - Returns: `nil` where a comment or an instruction would go with it: somebody wrote that for a reason.
    private static func fix(
        _ value: PropertyListValue, _ range: Range<Int>?, _ text: String, _ description: String
    ) -> Diagnostic.Fix? {
        guard let range, !value.hasRemarks(in: range) else { return nil }
        return Diagnostic.Fix(description: description, edit: Edit(range: range, replacement: text))
    }
}
