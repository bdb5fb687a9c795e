import Foundation
import ProductCatalog
import PropertyList

/// A file with what was found in it.
struct LintedFile {
    let path: String
    var findings: [DiagnosticDocument] = []
    /// Why it could not be read at all.
    var failure: String?
    /// The file, for the lines that findings are in.
    private var bytes: [UInt8] = []
    var status = ExitStatus.yes

    /// Reads a file, or standard input for `-`.
    ///
    /// - Parameter store: What the catalog is compared with.
    init(path: String, store: StoreConfiguration?) {
        self.path = path
        do {
            let bytes = Array(try Self.read(path))
            do throws(PropertyListError) {
                let catalog = Catalog(document: try PropertyListDocument(bytes: bytes))
                let drift = store.map { StoreDrift.diagnostics(of: catalog, against: $0) } ?? []
                findings = (catalog.diagnostics + drift).map(DiagnosticDocument.init)
                if catalog.hasErrors { status = .no }
            } catch {
                findings = [DiagnosticDocument(error)]
                status = .unusableData
            }
            self.bytes = bytes
        } catch {
            failure = error.reason
            status = error.isMissing ? .noInput : .inputOutput
        }
    }

    /// The lines that are asked for, of a text in UTF-8. They end with LF, CR LF or CR, as positions count them.
    func lines(_ wanted: Set<Int>) -> [Int: String] {
        var found: [Int: String] = [:]
        var (line, start) = (1, 0)
        while found.count < wanted.count, start < bytes.count {
            let end = bytes[start...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? bytes.count
            if wanted.contains(line) { found[line] = String(validating: bytes[start..<end], as: UTF8.self) ?? "" }
            let isPair =
                end + 1 < bytes.count && bytes[end] == UInt8(ascii: "\r") && bytes[end + 1] == UInt8(ascii: "\n")
            (line, start) = (line + 1, end + (isPair ? 2 : 1))
        }
        return found
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
