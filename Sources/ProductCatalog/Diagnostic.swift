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

    /// The identifier of the rule, such as `unknown-child`.
    public let rule: String
    public let severity: Severity
    /// What was found and what to do about it, in one sentence without a full stop.
    public let message: String
    /// Where; `nil` in a catalog that was made in code.
    public let position: SourcePosition?
    public let notes: [Note]
}
