internal import VitrinePropertyList

/// Automatic fixes of a catalog file, for diagnostics that have exactly one safe correction. Every other byte of the
/// file stays unchanged.
package struct LintFixes {
    /// Content of the catalog file after the fixes.
    package private(set) var bytes: [UInt8]
    /// Diagnostics that were fixed, in the order of the fixes.
    package private(set) var done: [Diagnostic] = []
    /// `true` if the file is XML in UTF-8; other files cannot be fixed.
    package private(set) var canBeFixed = false

    /// Maximum number of rounds of checking and fixing. Several rounds are needed because a fix may lead to another
    /// diagnostic; only fixes that undo each other would exceed the maximum.
    private static let mostRounds = 10

    /// Applies all fixes to the content of a file, until the rules find nothing more to fix.
    ///
    /// - Parameters:
    ///   - bytes: File content as read. A file that is not a property list, or not text in UTF-8, stays unchanged.
    ///   - isWanted: Function that returns `true` for a diagnostic whose fix is wanted.
    package init(_ bytes: [UInt8], where isWanted: (Diagnostic) -> Bool = { _ in true }) {
        self.bytes = bytes
        for _ in 0..<Self.mostRounds {
            guard let document = try? PropertyListDocument(bytes: self.bytes), document.format == .xml,
                document.source == self.bytes
            else { return }
            canBeFixed = true
            guard apply(Catalog(document: document, findingLimit: .max).diagnostics.filter(isWanted))
            else { return }
        }
    }

    /// Applies the fixes of diagnostics whose ranges do not overlap.
    ///
    /// - Returns: `true` if at least one fix was applied.
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
