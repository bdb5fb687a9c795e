import FileSystem
import Foundation
import ProductCatalog

/// Findings of an earlier run, which are not told again.
///
/// A finding is known by its file, its rule and its words, not by its line: what stands above it may change. Of findings
/// that look alike, as many are left out as there were.
struct LintBaseline {
    private struct Document: Decodable {
        struct File: Decodable {
            let path: String
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

    /// Reads what `lint --format json` has printed.
    ///
    /// - Throws: ``ToolFailure`` where the file is not there, or holds something else.
    init(path: String) throws {
        let document: Document
        do {
            let data = try BoundedFile.read(
                URL(filePath: path, directoryHint: .notDirectory), limit: StoreConfiguration.sizeLimit)
            document = try JSONDecoder().decode(Document.self, from: data)
        } catch let error as FileSystemError {
            throw ToolFailure(status: error.isMissing ? .noInput : .inputOutput, reason: "\(path): \(error.reason)")
        } catch {
            throw ToolFailure(
                status: .unusableData, reason: "\(path) is not what lint --format json prints: it is no baseline")
        }
        for file in document.files {
            for finding in file.findings {
                counts[Known(path: Self.plain(file.path), rule: finding.rule, message: finding.message), default: 0] +=
                    1
            }
        }
    }

    /// The path without steps that lead nowhere: `./a.plist` is `a.plist`.
    private static func plain(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).filter { $0 != "." }.joined(separator: "/")
    }

    /// Takes a finding off the baseline.
    ///
    /// - Returns: Whether it was there.
    mutating func take(_ finding: DiagnosticDocument, in path: String) -> Bool {
        let known = Known(path: Self.plain(path), rule: finding.rule, message: finding.message)
        guard let count = counts[known], count > 0 else { return false }
        counts[known] = count - 1
        return true
    }
}
