import ArgumentParser
import Foundation

/// Result of a command, for people and for scripts.
struct Report {
    /// Text for people, written to standard output.
    var lines: [String]
    /// Document for scripts, written instead of the lines with `--json`.
    var json: any Encodable
    var status: ExitStatus
    /// Raw output, written unchanged instead of the lines.
    var bytes: [UInt8]?
    /// Messages for standard error, written with and without `--json`.
    var remarks: [String] = []
}

struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document instead of text.")
    var json = false
}

/// Command that returns a report.
protocol ReportingCommand: AsyncParsableCommand {
    var output: OutputOptions { get }

    func report() async throws -> Report
}

extension ReportingCommand {
    func run() async throws {
        let status: ExitStatus
        do {
            let report = try await report()
            for remark in report.remarks { Console.say(remark) }
            if let bytes = report.bytes, !output.json {
                try Console.write(bytes)
            } else {
                try Console.write(
                    output.json ? [Console.encode(report.json)] : report.lines.map(\.withoutControlCharacters))
            }
            status = report.status
        } catch let failure as ToolFailure {
            Console.say("error: \(failure.reason)")
            if output.json { try Console.write([Console.encode(FailureDocument(failure))]) }
            status = failure.status
        }
        if status != .yes { throw ExitCode(status.rawValue) }
    }
}

private struct FailureDocument: Encodable {
    struct Failure: Encodable {
        let status: Int32
        let reason: String
    }

    let error: Failure

    init(_ failure: ToolFailure) {
        error = Failure(status: failure.status.rawValue, reason: failure.reason)
    }
}
