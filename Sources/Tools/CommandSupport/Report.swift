package import ArgumentParser
import Foundation

/// Result of a command, for people and for scripts.
package struct Report {
    /// Text for people, written to standard output.
    package var lines: [String]
    /// Document for scripts, written with `--json` instead of the lines.
    package var json: JSONObject
    package var status: ExitStatus
    /// Raw output, written unchanged instead of the lines.
    package var bytes: [UInt8]?
    /// Messages for standard error, written with and without `--json`.
    package var remarks: [String]

    package init(
        lines: [String], json: JSONObject, status: ExitStatus, bytes: [UInt8]? = nil, remarks: [String] = []
    ) {
        self.lines = lines
        self.json = json
        self.status = status
        self.bytes = bytes
        self.remarks = remarks
    }
}

package struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document instead of text.")
    package var json = false

    package init() {}
}

/// Command that returns a report.
package protocol ReportingCommand: AsyncParsableCommand {
    var output: OutputOptions { get }
    /// Activity that a terminal shows while the command takes longer than a second, such as "packing content"; `nil` if
    /// the command has a display of its own, or is never slow.
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
            Console.say("error: \(failure.reason)")
            if output.json { try Console.write([Console.encode(failure.document)]) }
            status = failure.status
        }
        if status != .yes { throw ExitCode(status.rawValue) }
    }
}

/// Exit status of a command. The numbers from 64 are those of `sysexits.h`.
package enum ExitStatus: Int32, Comparable {
    case yes = 0
    /// The answer is negative: refused, not owned, diagnostics found, not in the catalog, not loaded.
    case no = 1
    /// The answer is not known yet.
    case unknown = 2
    /// The command was used wrongly. ArgumentParser exits with this status too.
    case usage = 64
    /// The data that the command works on is unusable.
    case unusableData = 65
    /// The input file is missing.
    case noInput = 66
    /// A part of the system that the command needs is missing: on Linux, `/proc`.
    case unavailable = 69
    /// A file cannot be read or written.
    case inputOutput = 74

    package static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

/// Error that commands may expect.
package protocol CommandFailure: Error {
    /// Failure that the error means for a command; `nil` for an error that no command expects.
    var failure: ToolFailure? { get }
}

/// Failure that leaves a command without an answer.
package struct ToolFailure: CommandFailure {
    package let status: ExitStatus
    /// Description of the failure, as the rest of a sentence.
    package let reason: String

    package var failure: ToolFailure? { self }

    package init(status: ExitStatus, reason: String) {
        self.status = status
        self.reason = reason
    }

    fileprivate var document: JSONObject {
        ["error": ["status": status.rawValue, "reason": reason] as JSONObject]
    }
}
