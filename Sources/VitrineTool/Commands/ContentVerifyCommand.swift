import ArgumentParser
import Foundation
import HostedContent

struct ContentVerifyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check an archive of content.",
        discussion: """
            Reads a zip or a tar completely, as an app does that installs it, and writes nothing. With --manifest, the archive must match the manifest to the byte; with --key, FILE.minisig must be that key's \
            signature of the manifest. The exit status is 0 if the archive is valid, and 1 if an app would refuse it.

            EXAMPLES:
              vitrine content verify out/com.example.voyager.rome-1.0.zip --manifest out/com.example.voyager.rome-1.0.plist
              vitrine content verify Rome.tar
            """
    )

    @Argument(help: ArgumentHelp("The archive.", valueName: "archive"))
    var archive: String

    @OptionGroup var manifest: ManifestOptions
    @OptionGroup var output: OutputOptions

    func report() throws -> Report {
        let expected = try manifest.read()
        do throws(ContentError) {
            let found = try ContentArchive.verify(
                URL(filePath: archive, directoryHint: .notDirectory), manifest: expected)
            let length = found.files.reduce(0) { $0 + $1.length }
            return Report(
                lines: [
                    "verified: \(found.productIdentifier) \(found.version), \(found.files.count) files, \(length) bytes"
                ],
                json: Document(verdict: "verified", reason: nil, package: PackageDocument(found)), status: .yes)
        } catch {
            guard [.invalidPackage, .wrongContent].contains(error.code) else { throw ToolFailure(error) }
            return Report(
                lines: ["rejected: \(error.reason) [\(error.code)]"],
                json: Document(
                    verdict: "rejected",
                    reason: Document.Reason(code: error.code.description, detail: error.reason), package: nil),
                status: .no)
        }
    }

    private struct Document: Encodable {
        struct Reason: Encodable {
            let code: String
            let detail: String
        }

        let verdict: String
        let reason: Reason?
        let package: PackageDocument?
    }
}
