import Foundation
import VitrineCatalog
internal import VitrineCommandSupport
import VitrineFileSystem
import VitrinePropertyList
import VitrineSupport

/// File checked by `vitrine lint`, with its diagnostics.
struct LintedFile {
    let path: String
    var findings: [DiagnosticDocument] = []
    /// Reason why the file could not be read or written; `nil` if there was no failure.
    var failure: String?
    /// Content of the file as it was read, without fixes.
    private var bytes: [UInt8] = []
    /// Content of the file with all safe fixes; `nil` if there is nothing to fix or no fixes were requested.
    private(set) var fixed: LintFixes?
    /// `true` if fixes were requested, but the file is not XML in UTF-8.
    private(set) var cannotBeFixed = false
    /// Number of other hard links to the file. They still have the old content after the file is fixed.
    private(set) var otherNameCount = 0
    /// `true` if the file is not a property list.
    private var isUnreadable = false
    /// Reason why the file was passed over: it was found in a folder instead of named by the user, and is no catalog.
    /// `nil` for a file that was checked.
    private(set) var passedOver: CatalogCandidate.Other?
    private var readingStatus = ExitStatus.yes

    var status: ExitStatus {
        let hasErrors = findings.contains { $0.severity == Diagnostic.Severity.error.rawValue }
        return max(readingStatus, isUnreadable ? .unusableData : hasErrors ? .no : .yes)
    }

    /// Options of the checks that are made in addition to the catalog rules.
    struct Checks {
        /// StoreKit configuration to compare the catalog with.
        var store: StoreConfiguration?
        var appPrefix: String?
        /// Folder with the files that the catalog refers to; `nil` for the folder of the catalog.
        var resources: String?
        var isToBeSigned = false
        /// Current time, for comparisons with expiration dates.
        var now = Date()
        /// `true` to collect fixes, and to check the file with all of them applied.
        var fixes = false
        /// Settings of the team, which apply to the file.
        var settings = LintSettings()
    }

    /// File that `vitrine lint` may check.
    struct Candidate {
        let path: String
        /// `true` for a file that the user has named, which is checked even if it does not look like a catalog.
        let isNamed: Bool
    }

    /// Reads and checks a file, or standard input for `-`.
    init(_ candidate: Candidate, checks: Checks) {
        path = candidate.path
        do {
            bytes = try Self.read(path)
            if checks.fixes {
                let fixes = LintFixes(bytes, where: checks.settings.reports)
                cannotBeFixed = !fixes.canBeFixed
                if !fixes.done.isEmpty { fixed = fixes }
            }
            do throws(PropertyListError) {
                if let document = try document(isNamed: candidate.isNamed) {
                    findings = Self.findings(in: document, path: path, checks)
                }
            } catch {
                findings = [DiagnosticDocument(error)]
                isUnreadable = true
            }
        } catch {
            failure = error.reason
            readingStatus = error.isMissing ? .noInput : .inputOutput
        }
    }

    /// Creates the result for a file that cannot be examined.
    init(passedOver path: String, _ kind: CatalogCandidate.Other) {
        (self.path, passedOver) = (path, kind)
    }

    /// Creates the result for a folder that cannot be read.
    init(unreadFolder path: String, reason: String) {
        self.path = path
        failure = reason
        readingStatus = .inputOutput
    }

    /// Reads settings for `vitrine lint`.
    ///
    /// - Returns: The file with what is wrong with it, and its settings; those that change nothing if it cannot be read.
    static func settings(at path: String) -> (file: LintedFile, settings: LintSettings) {
        var file = LintedFile(path: path)
        do {
            file.bytes = try read(path)
            do throws(PropertyListError) {
                let settings = LintSettings(document: try PropertyListDocument(bytes: file.bytes))
                file.findings = settings.diagnostics.map(DiagnosticDocument.init)
                return (file, settings)
            } catch {
                file.findings = [DiagnosticDocument(error)]
                file.isUnreadable = true
            }
        } catch {
            file.failure = error.reason
            file.readingStatus = error.isMissing ? .noInput : .inputOutput
        }
        return (file, LintSettings())
    }

    private init(path: String) { self.path = path }

    /// Reads the content as a property list.
    ///
    /// - Returns: `nil` for a file that was not named and is no catalog.
    private mutating func document(isNamed: Bool) throws(PropertyListError) -> PropertyListDocument? {
        let content = fixed?.bytes ?? bytes
        guard !isNamed else { return try PropertyListDocument(bytes: content) }
        switch CatalogCandidate(content) {
        case .catalog(let document): return document
        case .damagedCatalog(let error): throw error
        case .other(let kind):
            passedOver = kind
            (fixed, bytes) = (nil, [])
            return nil
        }
    }

    private static func findings(
        in document: PropertyListDocument, path: String, _ checks: Checks
    ) -> [DiagnosticDocument] {
        let catalog = Catalog(document: document)
        var diagnostics = catalog.diagnostics
        if let prefix = checks.appPrefix { diagnostics += AppPrefixCheck.diagnostics(of: catalog, prefix: prefix) }
        if checks.isToBeSigned {
            diagnostics += SignedCatalogCheck.diagnostics(of: catalog, root: document.root.position)
        }
        diagnostics += ExpiredCatalogCheck.diagnostics(of: catalog, in: document, at: checks.now)
        if let folder = checks.resources ?? (path == "-" ? nil : (path as NSString).deletingLastPathComponent) {
            let url = URL(filePath: folder.isEmpty ? "." : folder, directoryHint: .isDirectory)
            diagnostics += MissingFileCheck.diagnostics(of: catalog, in: url, isCertain: checks.resources != nil)
        }
        if let store = checks.store { diagnostics += StoreDrift.diagnostics(of: catalog, against: store) }
        return checks.settings.applied(to: catalog.withoutIgnored(diagnostics)).map(DiagnosticDocument.init)
    }

    /// Removes the diagnostics that are in a baseline.
    mutating func leaveOut(_ baseline: inout LintBaseline) {
        findings = findings.filter { !baseline.consume($0, in: path) }
    }

    /// Unified diff of the file before and after its fixes.
    var diff: [String] {
        guard let fixed else { return [] }
        return UnifiedDiff.lines(from: bytes, to: fixed.bytes, path: path)
    }

    /// Replaces the file with the fixed one. If that fails, the file remains unchanged, and its diagnostics are those
    /// before the fixes.
    mutating func writeFixes(_ checks: Checks) {
        guard let fixed else { return }
        let names = FileStatus(URL(filePath: path, directoryHint: .notDirectory))?.linkCount ?? 1
        do throws(ToolFailure) {
            try OutputFile.write(fixed.bytes, to: path)
            otherNameCount = names - 1
        } catch {
            var unfixed = checks
            unfixed.fixes = false
            self = LintedFile(Candidate(path: path, isNamed: true), checks: unfixed)
            failure = error.reason
            readingStatus = error.status
        }
    }

    /// Diagnostics of the file, including one for a failure to read or write it. Used for output formats that cannot
    /// represent failures otherwise.
    var reportedFindings: [DiagnosticDocument] {
        findings + [failure].compactMap(\.self).map { DiagnosticDocument(failure: $0) }
    }

    /// Returns the lines with the given numbers; none if the file cannot be converted to UTF-8, which a diagnostic
    /// reports. Lines end with LF, CR LF or CR, as in source positions.
    func lines(_ wanted: Set<Int>) -> [Int: String] {
        guard !wanted.isEmpty, let bytes = try? TextEncoding.utf8(of: fixed?.bytes ?? bytes) else { return [:] }
        var found: [Int: String] = [:]
        var (line, start) = (1, 0)
        while found.count < wanted.count, start < bytes.count {
            let end = bytes[start...].firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } ?? bytes.count
            if wanted.contains(line) { found[line] = String(validUTF8: bytes[start..<end]) ?? "" }
            let isPair =
                end + 1 < bytes.count && bytes[end] == UInt8(ascii: "\r") && bytes[end + 1] == UInt8(ascii: "\n")
            (line, start) = (line + 1, end + (isPair ? 2 : 1))
        }
        return found
    }

    private static func read(_ path: String) throws(FileSystemError) -> [UInt8] {
        let limit = PropertyListLimits().size
        return path == "-"
            ? Array(try BoundedFile.readStandardInput(limit: limit))
            : try BoundedFile.bytes(URL(filePath: path, directoryHint: .notDirectory), limit: limit)
    }
}
