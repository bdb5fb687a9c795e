internal import VitrinePropertyList

/// A check of a catalog. Each rule has its own file in this folder.
protocol CatalogRule: Sendable {
    /// Name of the rule, contained in its findings.
    static var identifier: String { get }

    /// Reason for the rule, in complete sentences.
    static var explanation: String { get }
}

/// A rule that checks each product separately.
///
/// All rules of this type check a product before the next product is read: a separate pass over a large catalog for
/// each rule would take most of the loading time.
protocol ProductRule: CatalogRule {
    /// Traits that concern the rule. The rule is applied to products that have at least one of them, and to products
    /// whose dictionary was not read.
    static var concerns: ProductTraits { get }

    /// Returns the findings for one product.
    ///
    /// - Parameter index: Index of the declaration in the draft.
    mutating func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding]
}

/// A rule that has at most one finding for each product.
protocol SingleFindingRule: ProductRule {
    /// Returns the finding for one product; `nil` if there is none.
    ///
    /// - Parameter index: Index of the declaration in the draft.
    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding?
}

extension SingleFindingRule {
    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        finding(in: declaration, at: index).map { [$0] } ?? []
    }
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
            rule: Self.identifier, severity: severity, message: message(), position: position(), notes: notes(),
            fix: fix(), declarations: declarations)
    }
}
