import ArgumentParser
import Foundation

/// What a command answers: the same thing for people and for scripts.
struct Report {
    /// For people, on standard output.
    var lines: [String]
    /// For scripts, instead of the lines.
    var json: any Encodable
    var status: ExitStatus
    /// Instead of the lines, where something is not for people: written as it is.
    var bytes: [UInt8]?
    /// Said on standard error, whichever of the two is asked for.
    var remarks: [String] = []
}

struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document instead of text.")
    var json = false
}

/// A command that answers with a report.
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
