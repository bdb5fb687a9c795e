import ArgumentParser
import Foundation
internal import VitrineCommandSupport

/// Output format of lint diagnostics.
enum LintFormat: String, CaseIterable, ExpressibleByArgument {
    /// Readable text that shows the source line with a caret.
    case text
    /// JSON document, as with the option `--json`.
    case json
    /// Log in the format [SARIF 2.1.0](https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html) for code
    /// analysis services.
    case sarif
    /// [Workflow commands](https://docs.github.com/actions/reference/workflow-commands-for-github-actions) of GitHub
    /// Actions, which annotate files.
    case github
    /// [Code quality report](https://docs.gitlab.com/ci/testing/code_quality/) for merge requests in GitLab.
    case gitlab
    /// Lines that Xcode recognizes in the output of a build phase: one line with an absolute path for each diagnostic.
    case xcode
}

extension LintedFile {
    /// Returns the diagnostics as readable text, with an excerpt of the file for each.
    func text(colored: Bool) -> [String] {
        let lines = lines(Set(findings.flatMap { [$0.line] + $0.notes.map(\.line) }.compactMap(\.self)))
            .mapValues(TextLine.init)
        return findings.flatMap { finding -> [String] in
            let severity = colored ? finding.coloredSeverity : finding.severity
            let head = "\(finding.location(in: path)): ".withoutControlCharacters
            let message = ": \(finding.message) [\(finding.rule)]".withoutControlCharacters
            let notes = finding.notes.flatMap { note -> [String] in
                let text = "\(note.location(in: path)): note: \(note.message)".withoutControlCharacters
                return [text] + excerpt(note.line.flatMap { lines[$0] }, column: note.column)
            }
            return [head + severity + message] + excerpt(finding.line.flatMap { lines[$0] }, column: finding.column)
                + notes
        }
    }

    private static let widestExcerpt = 160

    /// Returns a line of the linted file, followed by a line with a caret under the column of the diagnostic. A long
    /// line is shortened to the part around the column.
    private func excerpt(_ line: TextLine?, column: Int?) -> [String] {
        guard let line, var column else { return [] }
        let text: String
        if column > Self.widestExcerpt {
            let omitted = column - Self.widestExcerpt / 2
            text = "…" + line.part(from: omitted, count: Self.widestExcerpt - 1)
            column -= omitted - 1
        } else {
            text = line.part(from: 0, count: Self.widestExcerpt)
        }
        guard !text.isEmpty, column <= text.unicodeScalars.count else { return [] }
        // Tabs are preserved, so that the caret is aligned with the column.
        let indentation = text.unicodeScalars.prefix(column - 1).map { $0 == "\t" ? "\t" : " " }.joined()
        let shown = text.split(separator: "\t", omittingEmptySubsequences: false)
            .map { String($0).withoutControlCharacters }.joined(separator: "\t")
        return ["    " + shown, "    " + indentation + "^"]
    }

    /// Returns the diagnostics in the format of Xcode, without excerpts.
    func xcode() -> [String] {
        let path = path == "-" ? path : URL(filePath: path).standardizedFileURL.path(percentEncoded: false)
        return reportedFindings.flatMap { finding in
            ["\(finding.location(in: path)): \(finding.severity): \(finding.message) [\(finding.rule)]"]
                + finding.notes.map { "\($0.location(in: path)): note: \($0.message)" }
        }.map(\.withoutControlCharacters)
    }

    func github(in workspace: inout Workspace) -> [String] {
        let file = workspace.reportedPath(of: path) ?? path
        return reportedFindings.map { finding in
            let command = finding.severity == "note" ? "notice" : finding.severity
            let location =
                finding.line.map { line in ",line=\(line)" + (finding.column.map { ",col=\($0)" } ?? "") } ?? ""
            let notes = finding.notes.map { "\n\($0.location(in: file)): \($0.message)" }.joined()
            return "::\(command) file=\(Self.escaped(file, isProperty: true))\(location)"
                + ",title=\(Self.escaped(finding.rule, isProperty: true))"
                + "::\(Self.escaped(finding.message + notes, isProperty: false))"
        }
    }

    private static func escaped(_ text: String, isProperty: Bool) -> String {
        var escaped = text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
        if isProperty { escaped = escaped.replacing(":", with: "%3A").replacing(",", with: "%2C") }
        return escaped.withoutControlCharacters
    }
}

/// Line of text that gives fast access to a part of a long line.
private struct TextLine {
    private let scalars: String.UnicodeScalarView
    /// String indexes of every 256th (`stride`) Unicode scalar.
    private let marks: [String.Index]

    private static let stride = 256

    init(_ text: String) {
        scalars = text.unicodeScalars
        marks = scalars.indices.enumerated().filter { $0.offset.isMultiple(of: Self.stride) }.map(\.element)
    }

    /// Returns a part of the line.
    ///
    /// - Parameters:
    ///   - start: Number of Unicode scalars before the part.
    ///   - count: Maximum number of Unicode scalars in the part.
    func part(from start: Int, count: Int) -> String {
        guard start / Self.stride < marks.count else { return "" }
        let part = scalars[marks[start / Self.stride]...].dropFirst(start % Self.stride).prefix(count)
        return String(String.UnicodeScalarView(part))
    }
}

extension DiagnosticDocument {
    fileprivate func location(in path: String) -> String {
        Self.location(path, line: line, column: column, offset: offset)
    }

    fileprivate static func location(_ path: String, line: Int?, column: Int?, offset: Int?) -> String {
        if let line, let column { return "\(path):\(line):\(column)" }
        return offset.map { "\(path):@\($0)" } ?? path
    }

    fileprivate var coloredSeverity: String {
        let color =
            switch severity {
            case "error": "31"
            case "warning": "33"
            default: "36"
            }
        return "\u{1B}[1;\(color)m\(severity)\u{1B}[0m"
    }
}

extension DiagnosticDocument.Note {
    fileprivate func location(in path: String) -> String {
        DiagnosticDocument.location(path, line: line, column: column, offset: offset)
    }
}
