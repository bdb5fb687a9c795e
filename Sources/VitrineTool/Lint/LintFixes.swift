import ProductCatalog
import PropertyList

/// Puts right in a file what has one safe answer, and leaves every other byte of it as it is.
struct LintFixes {
    /// The file as it is afterwards.
    private(set) var bytes: [UInt8]
    /// What was done, in order.
    private(set) var done: [Diagnostic] = []
    /// The file is XML in UTF-8: others cannot be fixed.
    private(set) var canBeFixed = false

    /// One fix may lay open the next: an empty text that is removed may have been the only one. Each takes something
    /// away or gives it the form that is asked for; more rounds would be fixes that undo each other.
    private static let mostRounds = 10

    /// - Parameter bytes: A file as it was read. One that is no property list, or no text in UTF-8, stays as it is.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        for _ in 0..<Self.mostRounds {
            guard let document = try? PropertyListDocument(bytes: self.bytes), document.format == .xml,
                document.source == self.bytes
            else { return }
            canBeFixed = true
            guard apply(Catalog(document: document, findingLimit: .max).diagnostics)
            else { return }
        }
    }

    /// - Returns: Whether there was anything to do.
    private mutating func apply(_ diagnostics: [Diagnostic]) -> Bool {
        let edits = diagnostics.compactMap { diagnostic in diagnostic.fix.map { (diagnostic, $0.edit) } }
            .sorted { $0.1.range.lowerBound < $1.1.range.lowerBound }
        var fixed: [UInt8] = []
        var end = 0
        for (diagnostic, edit) in edits where edit.range.lowerBound >= end {
            fixed += bytes[end..<edit.range.lowerBound]
            fixed += Array(edit.replacement.utf8)
            end = edit.range.upperBound
            done.append(diagnostic)
        }
        guard end > 0 else { return false }
        bytes = fixed + bytes[end...]
        return true
    }
}
