import ArgumentParser
import Foundation
import ProductCatalog

struct LintCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "lint",
        abstract: "Check catalogs by every rule.",
        discussion: """
            Findings are printed as file:line:column: severity: message [rule]. An error leaves a product out of the \
            catalog; a warning or a note does not. The exit status is 1 for errors, 65 for a file that is no property \
            list, 66 for one that is not there; of several files, the highest.

            EXAMPLE:
              vitrine lint Catalogs/Voyager.plist
            """
    )

    @Argument(help: ArgumentHelp("The catalogs.", valueName: "file"))
    var files: [String]

    @OptionGroup var output: OutputOptions

    func report() throws -> Report {
        var document = Document()
        var lines: [String] = []
        var remarks: [String] = []
        var status = ExitStatus.yes
        for file in files {
            do throws(CatalogError) {
                let catalog = try CatalogFile(url: URL(filePath: file, directoryHint: .notDirectory)).catalog
                lines += catalog.diagnostics.flatMap { $0.lines(path: file) }
                document.files.append(
                    Document.File(path: file, findings: catalog.diagnostics.map(DiagnosticDocument.init)))
                if catalog.hasErrors { status = max(status, .no) }
            } catch {
                if error.code == .notAPropertyList {
                    lines += error.lines(path: file)
                } else {
                    remarks.append("error: \(file): \(error.reason)")
                }
                document.files.append(Document.File(path: file, findings: [DiagnosticDocument(error)]))
                status = max(status, error.exitStatus)
            }
        }
        return Report(lines: lines, json: document, status: status, remarks: remarks)
    }

    private struct Document: Encodable {
        struct File: Encodable {
            let path: String
            let findings: [DiagnosticDocument]
        }

        var files: [File] = []
    }
}
