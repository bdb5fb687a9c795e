public import Vitrine
public import VitrineHostedContent
public import VitrinePurchasing
public import VitrineSupport

/// Message to a customer about the result of an action.
public struct ShopMessage: Sendable, Hashable {
    public let text: String
    /// `true` if the action has failed.
    public let isFailure: Bool

    private init(_ text: String, isFailure: Bool = false) {
        self.text = text
        self.isFailure = isFailure
    }

    /// Creates the message about the answer to a purchase.
    ///
    /// - Returns: `nil` if the shop shows the result itself, or the customer has canceled.
    public init?(_ answer: PurchaseAnswer, phrases: ShopPhrases) {
        switch answer {
        case .success, .cancelled: return nil
        case .failed(let failure):
            guard failure.code != .cancelled else { return nil }
            self.init(failure, phrases: phrases)
        case .pending(let reason):
            switch reason {
            case .askToBuy: self.init(phrases[.waitingForApproval])
            case .interrupted: self.init(phrases[.interrupted])
            case .planChange(let date): self.init(phrases.filled(.starts, date))
            case .outcomeUnknown: self.init(phrases.text(.outcomeUnknown), isFailure: true)
            case .verification, .content, .delivery: self.init(phrases[.paidNotDelivered])
            }
        }
    }

    /// Creates the message about the result of a restore.
    public init(_ result: RestoreResult, phrases: ShopPhrases) {
        if !result.failed.isEmpty {
            self.init(phrases[.restoreIncomplete], isFailure: true)
        } else if !result.restored.isEmpty {
            self.init(phrases[.restored])
        } else {
            self.init(phrases[result.alreadyOwned.isEmpty ? .nothingToRestore : .alreadyRestored])
        }
    }

    /// Creates the message about a download that was not completed.
    ///
    /// - Returns: `nil` if the customer has stopped it.
    public init?(download error: OwnedContentError, phrases: ShopPhrases) {
        guard error.code != .stopped else { return nil }
        self.init(phrases[.downloadFailed], isFailure: true)
    }

    /// Creates the message about a download that cannot be paused. It is of a product that is paid for.
    public init(download _: ContentError, phrases: ShopPhrases) {
        self.init(phrases[.downloadFailed], isFailure: true)
    }

    /// Creates the message about an error.
    public init<Code>(_ error: CodedError<Code>, phrases: ShopPhrases) {
        let text = error.code.customerText(for: [phrases.language])
        self.init(text ?? phrases.text(.failed), isFailure: true)
    }
}
