import ArgumentParser
import Entitlements
import Foundation
import HostedContent
import Purchasing
import StoreSimulator
import Vitrine

/// Result of a command, for people and for scripts.
struct Report {
    /// Text for people, written to standard output.
    var lines: [String]
    /// Document for scripts, written with `--json` instead of the lines.
    var json: JSONObject
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
        } catch {
            guard let failure = ToolFailure(describing: error) else { throw error }
            Console.say("error: \(failure.reason)")
            if output.json { try Console.write([Console.encode(failure.document)]) }
            status = failure.status
        }
        if status != .yes { throw ExitCode(status.rawValue) }
    }
}

/// Exit status of a command. The numbers from 64 are those of `sysexits.h`.
enum ExitStatus: Int32, Comparable {
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
    /// A file cannot be read or written.
    case inputOutput = 74

    static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

/// Failure that leaves a command without an answer.
struct ToolFailure: Error {
    let status: ExitStatus
    /// Description of the failure, as the rest of a sentence.
    let reason: String

    fileprivate var document: JSONObject {
        ["error": ["status": status.rawValue, "reason": reason] as JSONObject]
    }
}

extension ToolFailure {
    /// Creates the failure of a command from an error.
    ///
    /// - Returns: `nil` for an error that no command expects, such as wrong usage.
    init?(describing error: any Error) {
        switch error {
        case let failure as ToolFailure: self = failure
        case let error as LedgerError: self.init(error)
        case let error as SimulatedStoreError: self.init(error)
        case let error as ContentError: self.init(error)
        case let error as OwnedContentError: self.init(error)
        default: return nil
        }
    }

    init(_ error: LedgerError) {
        let status: ExitStatus =
            switch error.code {
            case .insufficientFunds, .conflict, .revoked: .no
            case .balanceUnknown: .unknown
            case .invalidFact: .usage
            case .damaged, .newerVersion: .unusableData
            default: .inputOutput
            }
        self.init(status: status, reason: error.reason)
    }
}

extension ToolFailure {
    init(_ error: SimulatedStoreError) {
        let status: ExitStatus =
            switch error.code {
            case .noSuchTransaction, .noSuchProduct, .noSuchStorefront, .noSuchSubscription, .noSuchOffer,
                .noSuchCustomer, .invalidFamily, .invalidAmount, .invalidDate:
                .no
            case .notFound: .noInput
            case .invalidConfiguration, .damaged: .unusableData
            default: .inputOutput
            }
        self.init(status: status, reason: error.reason)
    }

    init(_ error: ContentError) {
        let status: ExitStatus =
            switch error.code {
            case .notFound: .noInput
            case .storage, .noSpace: .inputOutput
            default: .unusableData
            }
        self.init(status: status, reason: error.reason)
    }
}

extension StoreError {
    /// Exit status for the error: unknown for an unreachable store, a read or write error for a failure of this
    /// machine.
    var exitStatus: ExitStatus { code == .storage ? .inputOutput : .unknown }
}

extension ReceiptFailure {
    /// Exit status for the failure: unknown if the receipt could not be checked.
    var exitStatus: ExitStatus {
        switch self {
        case .missing, .rejected: .no
        case .undetermined: .unknown
        case .store(let error): error.exitStatus
        }
    }
}

extension ContentProviderError {
    var exitStatus: ExitStatus { code == .storage ? .inputOutput : .unknown }
}

extension WaitingReason {
    /// Exit status for a waiting transaction: unknown, unless it waits because of a read or write error.
    var exitStatus: ExitStatus {
        switch self {
        case .ledger(let error) where error.code == .unavailable || error.code == .damaged: ToolFailure(error).status
        case .content(let error): error.exitStatus
        default: .unknown
        }
    }
}
