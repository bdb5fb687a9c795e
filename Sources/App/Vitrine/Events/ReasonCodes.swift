internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineHostedContent
internal import VitrinePurchasing
internal import VitrineReceipts

extension [RejectionReason] {
    /// Codes of all reasons, separated by spaces.
    var codes: String { map(\.code.description).joined(separator: " ") }
}

extension WaitingReason {
    /// Code of the reason why a purchase waits. The code contains no data of the customer.
    var code: String {
        switch self {
        case .verification: "verification"
        case .catalogNotLoaded: "catalog-not-loaded"
        case .unknownProduct: "unknown-product"
        case .kindMismatch: "kind-mismatch"
        case .noWallet: "no-wallet"
        case .unknownKind: "unknown-kind"
        case .noDuration: "no-duration"
        case .ledger(let error): error.code.description
        case .content(let error): error.code.description
        case .handler: "handler"
        case .hookRunning: "hook-running"
        }
    }
}

extension PendingReason {
    /// Code of the reason why a purchase is pending. The code contains no data of the customer.
    var code: String {
        switch self {
        case .askToBuy: "ask-to-buy"
        case .interrupted: "interrupted"
        case .planChange: "plan-change"
        case .outcomeUnknown: "outcome-unknown"
        case .verification: "verification"
        case .content(let error): error.code.description
        case .delivery(let reason): reason.code
        }
    }

    /// Description of the reason, as the rest of a sentence.
    var description: String {
        switch self {
        case .askToBuy: "another person has to approve the purchase"
        case .interrupted: "the customer has to resolve an issue with the store"
        case .planChange(let date): "the plan changes when the subscription renews, at \(date.formatted(.iso8601))"
        case .outcomeUnknown(let error): error.reason
        case .verification(let reason): reason
        case .content(let error): error.reason
        case .delivery(let reason): reason.description
        }
    }
}
