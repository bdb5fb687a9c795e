import Foundation
import VitrineCatalog
internal import VitrineCommandSupport

/// Diagnostics as a SARIF 2.1.0 log.
enum SARIFLog {
    static func document(_ files: [LintedFile], version: String) -> JSONObject {
        let rules = CatalogRuleDescription.all
        let driver: JSONObject = [
            "name": "vitrine", "version": version,
            "rules": rules.map { rule -> JSONObject in
                ["id": rule.identifier, "fullDescription": message(rule.explanation)]
            },
        ]
        var workspace = Workspace()
        let results: [JSONObject] = files.flatMap { file in
            let artifact = artifact(file.path, in: &workspace)
            return file.reportedFindings.map { result($0, in: artifact, rules) }
        }
        // The unit of columns is Unicode scalars.
        let run: JSONObject = [
            "tool": ["driver": driver] as JSONObject, "columnKind": "unicodeCodePoints", "results": results,
        ]
        return ["$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]]
    }

    private static func result(
        _ finding: DiagnosticDocument, in artifact: JSONObject, _ rules: [CatalogRuleDescription]
    ) -> JSONObject {
        [
            "ruleId": finding.rule, "ruleIndex": rules.firstIndex { $0.identifier == finding.rule },
            "level": finding.severity, "message": message(finding.message),
            "locations": [location(artifact, line: finding.line, column: finding.column, offset: finding.offset)],
            "relatedLocations": finding.notes.map {
                location(artifact, line: $0.line, column: $0.column, offset: $0.offset, note: $0.message)
            },
        ]
    }

    private static func location(
        _ artifact: JSONObject, line: Int?, column: Int?, offset: Int?, note: String? = nil
    ) -> JSONObject {
        let region: JSONObject? =
            if let line, let column {
                ["startLine": line, "startColumn": column]
            } else {
                offset.map { ["byteOffset": $0, "byteLength": 0] }
            }
        return [
            "physicalLocation": ["artifactLocation": artifact, "region": region] as JSONObject,
            "message": note.map(message),
        ]
    }

    /// Returns the location of a file: a URI that is relative to `uriBaseId` or absolute, or a description of standard
    /// input.
    private static func artifact(_ path: String, in workspace: inout Workspace) -> JSONObject {
        guard path != "-" else { return ["description": message("standard input")] }
        guard let relative = workspace.reportedPath(of: path) else {
            return ["uri": URL(filePath: path, directoryHint: .notDirectory).absoluteString]
        }
        return [
            "uri": relative.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed), "uriBaseId": "%SRCROOT%",
        ]
    }

    private static func message(_ text: String) -> JSONObject { ["text": text] }
}
