package import VitrineCatalog
package import VitrinePropertyList
internal import VitrineSupport

extension Diagnostic {
    /// Returns the diagnostic in the format of compilers, with file and position, and one more line for each note.
    package func lines(path: String) -> [String] {
        ["\(location(path, position)): \(severity.rawValue): \(message) [\(rule)]"]
            + notes.map { "\(location(path, $0.position)): note: \($0.message)" }
    }

    private func location(_ path: String, _ position: SourcePosition?) -> String {
        position.map { "\(path):\($0)" } ?? path
    }
}

/// JSON document of a diagnostic.
package struct DiagnosticDocument: Encodable {
    package struct Note: Encodable {
        package let message: String
        package let line: Int?
        package let column: Int?
        package let offset: Int?
    }

    package let severity: String
    package let rule: String
    package let message: String
    package let line: Int?
    package let column: Int?
    package let offset: Int?
    package let notes: [Note]
    /// Description of the diagnostic's safe fix; `nil` if there is no safe fix.
    package let fix: String?

    private init(
        _ severity: Diagnostic.Severity = .error, rule: String, message: String, at position: SourcePosition? = nil,
        notes: [Note] = [], fix: String? = nil
    ) {
        (self.severity, self.rule, self.message) = (severity.rawValue, rule, message)
        (line, column, offset) = (position?.line, position?.column, position?.byteOffset)
        (self.notes, self.fix) = (notes, fix)
    }

    package init(_ diagnostic: Diagnostic) {
        let notes = diagnostic.notes.map {
            Note(
                message: $0.message, line: $0.position?.line, column: $0.position?.column,
                offset: $0.position?.byteOffset)
        }
        self.init(
            diagnostic.severity, rule: diagnostic.rule, message: diagnostic.message, at: diagnostic.position,
            notes: notes, fix: diagnostic.fix?.description)
    }

    /// Creates the diagnostic for a file that could not be read or written.
    package init(failure: String) { self.init(rule: "failure", message: failure) }

    /// Creates the diagnostic for a file that is not a property list.
    package init(_ error: PropertyListError) {
        self.init(rule: CatalogError.Code.notAPropertyList.description, message: error.reason, at: error.position)
    }
}

extension CatalogError {
    package var exitStatus: ExitStatus {
        switch code {
        case .notFound: .noInput
        case .unreadable: .inputOutput
        case .notAPropertyList: .unusableData
        default: .no
        }
    }

    /// Returns the error in the format of compilers. For a catalog without a usable product, returns the catalog's
    /// diagnostics instead.
    package func lines(path: String) -> [String] {
        let location = position.map { "\(path):\($0)" } ?? path
        return code == .noUsableProduct
            ? diagnostics.flatMap { $0.lines(path: path) } : ["\(location): error: \(reason) [\(code)]"]
    }
}
