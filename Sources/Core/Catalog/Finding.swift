internal import VitrinePropertyList

/// A finding of a rule, and the product declarations that are excluded from the catalog because of it.
///
/// The message is created on access: in a hostile file with thousands of findings, most findings are only counted.
struct Finding: Sendable {
    let rule: String
    let severity: Diagnostic.Severity
    private let content: Content
    /// Indexes of the product declarations that are excluded from the catalog because of the finding; empty unless the
    /// finding is an error.
    let declarations: [Int]

    init(
        rule: String,
        severity: Diagnostic.Severity,
        message: @escaping @autoclosure @Sendable () -> String,
        position: @escaping @autoclosure @Sendable () -> SourcePosition?,
        notes: @escaping @autoclosure @Sendable () -> [Diagnostic.Note] = [],
        fix: @escaping @autoclosure @Sendable () -> Diagnostic.Fix? = nil,
        declarations: [Int] = []
    ) {
        self.rule = rule
        self.severity = severity
        content = .made {
            Diagnostic(
                rule: rule, severity: severity, message: message(), position: position(), notes: notes(), fix: fix())
        }
        self.declarations = severity == .error ? declarations : []
    }

    /// Creates a finding with a fixed message and without notes, fix or excluded products.
    init(rule: String, severity: Diagnostic.Severity, constant message: String, location: SourceLocation) {
        self.rule = rule
        self.severity = severity
        content = .constant(message, location)
        declarations = []
    }

    private enum Content {
        case made(@Sendable () -> Diagnostic)
        case constant(String, SourceLocation)
    }

    var diagnostic: Diagnostic {
        switch content {
        case .made(let make): make()
        case .constant(let message, let location):
            Diagnostic(rule: rule, severity: severity, message: message, location: location)
        }
    }
}
