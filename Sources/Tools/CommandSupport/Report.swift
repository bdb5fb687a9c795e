package import ArgumentParser
import Foundation

/// Result of a command, as text and as JSON.
package struct Report {
    /// Readable text for standard output.
    package var lines: [String]
    /// JSON document, which `--json` writes instead of the text.
    package var json: JSONObject
    package var status: ExitStatus
    /// Raw output, such as a file, that is written instead of the text; `nil` for a report without raw output.
    package var bytes: [UInt8]?
    /// Messages for standard error, also with `--json`.
    package var remarks: [String]

    package init(
        lines: [String], json: JSONObject, status: ExitStatus = .yes, bytes: [UInt8]? = nil, remarks: [String] = []
    ) {
        self.lines = lines
        self.json = json
        self.status = status
        self.bytes = bytes
        self.remarks = remarks
    }
}

package struct OutputOptions: ParsableArguments {
    @Flag(help: .json) package var json = false

    package init() {}

    package init(json: Bool) { self.json = json }
}

extension ArgumentHelp {
    package static let json = ArgumentHelp("Print one JSON document instead of text.")
}

/// Command whose result is a report.
package protocol ReportingCommand: AsyncParsableCommand {
    var output: OutputOptions { get }
    /// Activity shown in the progress display of a slow command, such as "packing content"; `nil` for a command with
    /// its own progress display, and for a fast command.
    var activity: String? { get }

    func report() async throws -> Report
}

extension ReportingCommand {
    package var activity: String? { nil }

    package func run() async throws {
        let status: ExitStatus
        let progress = activity.map { Progress($0) }
        do {
            defer { progress?.end() }
            let report = try await report()
            progress?.end()
            for remark in report.remarks { Console.say(remark) }
            if let bytes = report.bytes, !output.json {
                try Console.write(bytes)
            } else {
                try Console.write(
                    output.json ? [Console.encode(report.json)] : report.lines.map(\.withoutControlCharacters))
            }
            status = report.status
        } catch {
            guard let failure = (error as? any CommandFailure)?.failure else { throw error }
            for reason in failure.reasons { Console.say("error: \(reason)") }
            if output.json { try Console.write([Console.encode(failure.document)]) }
            status = failure.status
        }
        if status != .yes { throw ExitCode(status.rawValue) }
    }
}

/// Exit status of a command. Numbers from 64 are defined by `sysexits.h`.
package enum ExitStatus: Int32, Comparable {
    case yes = 0
    /// The answer of the command is negative: refused, not owned, diagnostics found, not in the catalog, not loaded.
    case no = 1
    /// The answer of the command is not known yet, for example because a purchase waits for approval.
    case unknown = 2
    /// The command line is invalid. ArgumentParser uses this status too.
    case usage = 64
    /// The input data of the command is unusable.
    case unusableData = 65
    /// The input file is missing.
    case noInput = 66
    /// The command needs a part of the system that is missing: on Linux, `/proc`.
    case unavailable = 69
    /// A file cannot be read or written.
    case inputOutput = 74

    package static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

/// Error that can be reported as a failure of the command, with an exit status.
package protocol CommandFailure: Error {
    /// Failure to report, with its exit status; `nil` for an unexpected error.
    var failure: ToolFailure? { get }
}

/// Failure of a command, with its exit status and the reasons.
package struct ToolFailure: CommandFailure {
    package let status: ExitStatus
    /// Descriptions of the failure, each as the rest of a sentence and printed on a line of its own.
    package let reasons: [String]

    /// All reasons in one text.
    package var reason: String { reasons.joined(separator: "\n") }

    package var failure: ToolFailure? { self }

    package init(status: ExitStatus, reason: String) { self.init(status: status, reasons: [reason]) }

    package init(status: ExitStatus, reasons: [String]) { (self.status, self.reasons) = (status, reasons) }

    fileprivate var document: JSONObject {
        ["error": ["status": status.rawValue, "reason": reason] as JSONObject]
    }
}
