import Foundation
import VitrineCatalog
internal import VitrineCommandSupport
import VitrineFileSystem
import VitrineSupport

/// Diagnostics of an earlier run of `vitrine lint`, which are not reported again.
///
/// A diagnostic is identified by its file, rule and message. The line is ignored, because lines above it may change. Of
/// several equal diagnostics, only as many are omitted as the baseline contains. A baseline
/// may be used in another folder than it was made in.
struct LintBaseline {
    private struct Document: Decodable {
        struct File: Decodable {
            let path: String
            let workspacePath: String?
            let findings: [Finding]
        }

        struct Finding: Decodable {
            let rule: String
            let message: String
        }

        let files: [File]
    }

    private struct Known: Hashable {
        let path: String
        let rule: String
        let message: String
    }

    private var counts: [Known: Int] = [:]

    /// Reads a baseline from the output of `lint --format json`.
    ///
    /// - Throws: ``ToolFailure`` if the file is missing, cannot be read, or is not such output.
    init(path: String) throws {
        let document: Document
        do {
            let data = try BoundedFile.read(
                URL(filePath: path, directoryHint: .notDirectory), limit: StoreConfiguration.sizeLimit)
            document = try JSONDecoder().decodeForeign(Document.self, from: data)
        } catch let error as FileSystemError {
            throw ToolFailure(status: error.isMissing ? .noInput : .inputOutput, reason: "\(path): \(error.reason)")
        } catch {
            throw ToolFailure(
                status: .unusableData,
                reason: "\(path) is not a baseline, which is the output of 'vitrine lint --format json'")
        }
        var workspace = Workspace()
        let location = Workspace.absolute(path)
        let current = Workspace.absolute(FileManager.default.currentDirectoryPath)
        let roots = [workspace.root(of: Workspace.joined(current, "-")), workspace.root(of: location)].compactMap(
            \.self)
        let folders = [Workspace.folder(of: location)] + roots + [current]
        for file in document.files {
            let path = Self.path(of: file, roots: roots, folders: folders)
            for finding in file.findings {
                counts[Known(path: path, rule: finding.rule, message: finding.message), default: 0] += 1
            }
        }
    }

    /// Returns the absolute path of a file of the baseline: the first that exists of its path in the workspace, and of its
    /// path from the folder of the baseline, from the workspace and from the current folder.
    ///
    /// - Parameters:
    ///   - roots: Workspaces of the current folder and of the baseline.
    ///   - folders: Folders that the path may be relative to.
    private static func path(of file: Document.File, roots: [String], folders: [String]) -> String {
        guard file.path != "-" else { return file.path }
        let places =
            roots.compactMap { root in file.workspacePath.map { Workspace.joined(root, $0) } }
            + folders.map { file.path.hasPrefix("/") ? file.path : Workspace.joined($0, file.path) }
        return Workspace.absolute(places.first(where: FileManager.default.fileExists) ?? file.path)
    }

    /// Removes a diagnostic from the baseline.
    ///
    /// - Returns: `true` if the baseline contained the diagnostic.
    mutating func consume(_ finding: DiagnosticDocument, in path: String) -> Bool {
        let known = Known(path: Workspace.absolute(path), rule: finding.rule, message: finding.message)
        guard let count = counts[known], count > 0 else { return false }
        counts[known] = count - 1
        return true
    }
}
