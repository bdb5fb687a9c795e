import ArgumentParser
import Entitlements
import Purchasing

/// What a command's exit status says. The numbers from 64 on are those of `sysexits.h`.
enum ExitStatus: Int32, Comparable {
    case yes = 0
    /// The answer is no: refused, not owned, a finding, not in the catalog, not loaded.
    case no = 1
    /// It cannot be known yet.
    case unknown = 2
    /// The command is used wrongly. ArgumentParser exits with it too.
    case usage = 64
    /// The data cannot be used.
    case unusableData = 65
    /// There is no such input.
    case noInput = 66
    /// Reading or writing failed.
    case inputOutput = 74

    static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

/// Why a command has no answer.
struct ToolFailure: Error {
    let status: ExitStatus
    /// What went wrong, as the rest of a sentence.
    let reason: String
}

extension ToolFailure {
    init(_ error: LedgerError) {
        let status: ExitStatus =
            switch error.code {
            case .insufficientFunds, .conflict: .no
            case .invalidFact: .usage
            case .damaged: .unusableData
            default: .inputOutput
            }
        self.init(status: status, reason: error.reason)
    }
}

extension WaitingReason {
    /// What waits is not known yet, unless it waits because the ledger's storage failed.
    var exitStatus: ExitStatus {
        guard case .ledger(let error) = self else { return .unknown }
        return error.code == .unavailable || error.code == .damaged ? ToolFailure(error).status : .unknown
    }
}
