internal import Foundation
internal import HostedContent
package import Purchasing
package import Vitrine

extension PendingReason {
    package var words: String {
        switch self {
        case .askToBuy: "approval is required"
        case .interrupted: "the customer has to resolve an issue with the store; 'vitrine store resolve' does so"
        case .planChange(let date): "the change of plan takes effect when the subscription renews, at \(date.second)"
        case .outcomeUnknown(let error): "the outcome is unknown: \(error)"
        case .verification(let reason): "the transaction could not be verified: \(reason)"
        case .content(let error): "paid for and owned, but the content is not installed: \(error)"
        case .delivery(let reason): "paid for, but not delivered yet: \(reason)"
        }
    }
}

extension PurchaseAnswer {
    /// Result of the purchase in one word, for scripts.
    package var word: String {
        switch self {
        case .success: "success"
        case .pending(.planChange): "planned"
        case .pending: "pending"
        case .cancelled: "cancelled"
        case .failed: "failed"
        }
    }
}

extension WalletBalance {
    /// Balance of the wallet as shown in a table.
    package var words: String {
        switch self {
        case .known(let units): String(units)
        case .unknown(let units): "unknown, at least \(units)"
        }
    }
}

extension PurchaseState {
    package var words: String {
        switch self {
        case .inProgress: "purchase in progress"
        case .waitingForApproval: "purchase waiting for approval"
        case .delivering: "purchase being delivered"
        }
    }
}

extension ListedContent {
    package var words: String {
        guard !isComplete else { return "content installed" }
        if let download { return "content: \(download.words)" }
        return count == 1 ? "content not installed" : "content installed for \(installedCount) of \(count) products"
    }
}

extension ContentState {
    package var words: String {
        switch self {
        case .installed: "installed"
        case .updateAvailable: "installed, update available"
        case .notInstalled: "not installed"
        case .notOwned: "not owned"
        case .withheld: "no longer owned: withheld"
        case .ownershipUnknown: "ownership unknown"
        }
    }
}
