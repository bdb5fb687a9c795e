internal import PropertyList

/// One thing that is looked for in a catalog. Each rule is a file of its own in this folder.
protocol CatalogRule: Sendable {
    /// The name of the rule, which its findings carry.
    static var identifier: String { get }

    /// Why it matters, in whole sentences.
    static var explanation: String { get }
}

/// A rule that looks at one product after the other.
///
/// All such rules look at a product before the next one is taken up: going through a large catalog once for each rule
/// would cost most of the time that loading takes.
protocol ProductRule: CatalogRule {
    /// - Parameter index: The place of the declaration in the draft.
    mutating func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding]
}

extension CatalogRule {
    func finding(
        _ severity: Diagnostic.Severity,
        _ message: @escaping @autoclosure @Sendable () -> String,
        at position: @escaping @autoclosure @Sendable () -> SourcePosition?,
        notes: @escaping @autoclosure @Sendable () -> [Diagnostic.Note] = [],
        fix: @escaping @autoclosure @Sendable () -> Diagnostic.Fix? = nil,
        leavingOut declarations: [Int] = []
    ) -> Finding {
        Finding(
            rule: Self.identifier,
            severity: severity,
            message: message(),
            position: position(),
            notes: notes(),
            fix: fix(),
            declarations: declarations
        )
    }
}
