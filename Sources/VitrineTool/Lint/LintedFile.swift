import Foundation
import ProductCatalog
import PropertyList

/// A file with what was found in it.
struct LintedFile {
    let path: String
    var findings: [DiagnosticDocument] = []
    /// Why it could not be read at all.
    var failure: String?
    /// The lines of a text, where it is one in UTF-8.
    var lines: [Substring] = []
    var status = ExitStatus.yes

    /// Reads a file, or standard input for `-`.
    init(path: String) {
        self.path = path
        do {
            let bytes = Array(try Self.read(path))
            do throws(PropertyListError) {
                let catalog = Catalog(document: try PropertyListDocument(bytes: bytes))
                findings = catalog.diagnostics.map(DiagnosticDocument.init)
                if catalog.hasErrors { status = .no }
            } catch {
                findings = [DiagnosticDocument(error)]
                status = .unusableData
            }
            lines =
                String(validating: bytes, as: UTF8.self)?
                .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) ?? []
        } catch {
            failure = error.reason
            status = error.isMissing ? .noInput : .inputOutput
        }
    }

    private static func read(_ path: String) throws(BoundedFile.ReadFailure) -> Data {
        let limit = PropertyListLimits().size
        return path == "-"
            ? try BoundedFile.readStandardInput(limit: limit)
            : try BoundedFile.read(URL(filePath: path, directoryHint: .notDirectory), limit: limit)
    }

    /// The files that a path stands for: itself, or the property lists in a folder and those below it, but for hidden
    /// ones.
    static func paths(at path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
        else {
            return [path]
        }
        let folder = path.hasSuffix("/") ? path : path + "/"
        guard let names = FileManager.default.enumerator(atPath: path) else {
            throw ToolFailure(status: .inputOutput, reason: "\(path) cannot be read")
        }
        return names.compactMap { $0 as? String }
            .filter { name in
                name.hasSuffix(".plist") && !name.split(separator: "/").contains { $0.hasPrefix(".") }
            }
            .sorted().map { folder + $0 }
    }
}
