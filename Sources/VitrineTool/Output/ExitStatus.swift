import ArgumentParser
import Entitlements
import HostedContent
import Purchasing
import StoreSimulator
import Vitrine

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
    /// A store that cannot be asked has no answer yet, unless it is this machine that fails.
    var exitStatus: ExitStatus { code == .storage ? .inputOutput : .unknown }
}

extension ReceiptFailure {
    /// Where nobody could look, it is not known whether the receipt is good.
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
    /// What waits is not known yet, unless it waits because something could not be read or written.
    var exitStatus: ExitStatus {
        switch self {
        case .ledger(let error) where error.code == .unavailable || error.code == .damaged: ToolFailure(error).status
        case .content(let error): error.exitStatus
        default: .unknown
        }
    }
}
