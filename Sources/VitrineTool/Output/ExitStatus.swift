import ArgumentParser
import Entitlements
import HostedContent
import Purchasing
import StoreSimulator
import Vitrine

/// Exit status of a command. The numbers from 64 are those of `sysexits.h`.
enum ExitStatus: Int32, Comparable {
    case yes = 0
    /// Negative answer: refused, not owned, diagnostics found, not in the catalog, not loaded.
    case no = 1
    /// Answer that is not known yet.
    case unknown = 2
    /// Wrong usage of the command. ArgumentParser exits with it too.
    case usage = 64
    /// Unusable data.
    case unusableData = 65
    /// Missing input.
    case noInput = 66
    /// Failure to read or write.
    case inputOutput = 74

    static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

/// Failure that leaves a command without an answer.
struct ToolFailure: Error {
    let status: ExitStatus
    /// Description of the failure, as the rest of a sentence.
    let reason: String
}

extension ToolFailure {
    init(_ error: LedgerError) {
        let status: ExitStatus =
            switch error.code {
            case .insufficientFunds, .conflict, .revoked: .no
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
            case .noSuchTransaction, .noSuchStorefront: .no
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
    /// Exit status: an unreachable store leaves the answer unknown; a failure of this machine is a read or write error.
    var exitStatus: ExitStatus { code == .storage ? .inputOutput : .unknown }
}

extension ReceiptFailure {
    /// Exit status: unknown if the receipt could not be checked.
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
    /// Exit status: unknown, unless the transaction waits because of a read or write error.
    var exitStatus: ExitStatus {
        switch self {
        case .ledger(let error) where error.code == .unavailable || error.code == .damaged: ToolFailure(error).status
        case .content(let error): error.exitStatus
        default: .unknown
        }
    }
}
