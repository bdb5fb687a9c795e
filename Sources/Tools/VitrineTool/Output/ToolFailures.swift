import Vitrine
package import VitrineCommandSupport
internal import VitrineDeviceExchange
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineStoreSimulator
package import VitrineSupport

extension CodedError: CommandFailure {
    package var failure: ToolFailure? {
        switch self as any Error {
        case let error as LedgerError: ToolFailure(error)
        case let error as SimulatedStoreError: ToolFailure(error)
        case let error as ContentError: ToolFailure(error)
        case let error as OwnedContentError: ToolFailure(error)
        case let error as AppServerError: ToolFailure(error)
        case let error as ExchangeError: ToolFailure(error)
        case let error as StoreError: ToolFailure(status: error.exitStatus, reason: error.reason)
        default: nil
        }
    }
}

extension ToolFailure {
    init(_ error: LedgerError) {
        let status: ExitStatus =
            switch error.code {
            case .insufficientFunds, .conflict, .revoked, .otherAccount: .no
            case .balanceUnknown: .unknown
            case .invalidFact: .usage
            case .damaged, .newerVersion: .unusableData
            default: .inputOutput
            }
        self.init(status: status, reason: error.reason)
    }

    init(_ error: ExchangeError) {
        let status: ExitStatus =
            switch error.code {
            case .transport, .storage, .busy: .inputOutput
            case .tooLarge: .unusableData
            case .otherCustomer, .removed, .insufficientFunds, .invalid: .no
            }
        self.init(status: status, reason: error.reason)
    }

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
        self.init(
            status: status, reason: error.code == .notFound ? "\(error.reason); 'vitrine init' makes one" : error.reason
        )
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
    /// Exit status of a command that fails with the error: 74 for an error of the local machine, otherwise 2, because
    /// the answer of the store is unknown.
    var exitStatus: ExitStatus { code == .storage ? .inputOutput : .unknown }
}

extension ReceiptFailure {
    /// Exit status of the failure: 1 for a missing or rejected receipt, 2 if the receipt could not be checked.
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
    /// Exit status for a transaction that is not delivered yet: 2 (unknown), unless a failure with another status
    /// prevents the delivery.
    var exitStatus: ExitStatus {
        switch self {
        case .ledger(let error) where error.code == .unavailable || error.code == .damaged: ToolFailure(error).status
        case .content(let error): error.exitStatus
        default: .unknown
        }
    }
}
