import Foundation
import VitrineCatalog
internal import VitrineCommandSupport

/// Diagnostics as a SARIF 2.1.0 log.
struct SARIFLog: Encodable {
    let schema = "https://json.schemastore.org/sarif-2.1.0.json"
    let version = "2.1.0"
    let runs: [Run]

    private enum CodingKeys: String, CodingKey {
        case schema = "$schema"
        case version, runs
    }

    struct Run: Encodable {
        let tool: Tool
        /// Unit of columns in SARIF: Unicode scalars.
        let columnKind = "unicodeCodePoints"
        let results: [Result]
    }

    struct Tool: Encodable {
        struct Driver: Encodable {
            let name = "vitrine"
            let version: String
            let rules: [Rule]
        }

        let driver: Driver
    }

    struct Rule: Encodable {
        let id: String
        let fullDescription: Message
    }

    struct Message: Encodable {
        let text: String
    }

    struct Result: Encodable {
        let ruleId: String
        let ruleIndex: Int?
        let level: String
        let message: Message
        let locations: [Location]
        let relatedLocations: [Location]
    }

    struct Location: Encodable {
        struct Physical: Encodable {
            struct Artifact: Encodable {
                /// URI of the file, relative to `uriBaseId` or absolute; `nil` for standard input.
                var uri: String?
                var uriBaseId: String?
                var description: Message?

                init(path: String) {
                    guard path != "-" else {
                        description = Message(text: "standard input")
                        return
                    }
                    let relative = path.relativeToCurrentFolder
                    guard !relative.hasPrefix("/") else {
                        uri = URL(filePath: path, directoryHint: .notDirectory).absoluteString
                        return
                    }
                    uri = relative.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed)
                    uriBaseId = "%SRCROOT%"
                }
            }

            struct Region: Encodable {
                var startLine: Int?
                var startColumn: Int?
                var byteOffset: Int?
                var byteLength: Int?
            }

            let artifactLocation: Artifact
            let region: Region?
        }

        let physicalLocation: Physical
        var message: Message?

        init(path: String, line: Int?, column: Int?, offset: Int?, message: String? = nil) {
            let region: Physical.Region? =
                if let line, let column {
                    Physical.Region(startLine: line, startColumn: column)
                } else {
                    offset.map { Physical.Region(byteOffset: $0, byteLength: 0) }
                }
            physicalLocation = Physical(artifactLocation: Physical.Artifact(path: path), region: region)
            self.message = message.map(Message.init)
        }
    }

    init(_ files: [LintedFile], version: String) {
        let rules = CatalogRuleDescription.all
        let results = files.flatMap { file in
            file.reportedFindings.map { finding in
                Result(
                    ruleId: finding.rule, ruleIndex: rules.firstIndex { $0.identifier == finding.rule },
                    level: finding.severity, message: Message(text: finding.message),
                    locations: [
                        Location(path: file.path, line: finding.line, column: finding.column, offset: finding.offset)
                    ],
                    relatedLocations: finding.notes.map {
                        Location(
                            path: file.path, line: $0.line, column: $0.column, offset: $0.offset, message: $0.message)
                    })
            }
        }
        let driver = Tool.Driver(
            version: version,
            rules: rules.map { Rule(id: $0.identifier, fullDescription: Message(text: $0.explanation)) })
        runs = [Run(tool: Tool(driver: driver), results: results)]
    }
}
