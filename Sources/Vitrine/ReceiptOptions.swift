public import Purchasing
public import Receipts

/// What an app may choose about its receipt.
///
/// What a good receipt says is recorded: what was bought, but for consumables, which their transactions credit; what the
/// store has taken back; and how the customer first got the app, where no app transaction tells. An app that has its say in
/// transactions (`AppHooks.verification`) is not asked about receipts: of purchases, only what was taken back is recorded
/// from one then.
///
/// A receipt does not tell which of the app's accounts a purchase was made with, nor whether a family shares it: what
/// ``CatalogManager/restore(accountToken:)`` leaves alone as another account's is recorded from a receipt all the same.
/// An app whose accounts own separately on one device reads no receipts, or has its say in transactions.
public struct ReceiptOptions: Sendable {
    /// When a receipt that is missing or cannot be trusted is asked for anew.
    public enum Refresh: Sendable, Hashable {
        /// Only by ``CatalogManager/refreshReceipt(_:)``.
        case never
        /// When products are loaded, too; once for each manager, which is once in a launch. The store may ask the customer
        /// for a password. Where it cannot be told whether a receipt is good, it is not asked for anew, nor where a new one
        /// would be no better: it is of another app or environment, or the app's own server has rejected it.
        case whenMissing
    }

    /// What decides whether a receipt can be trusted.
    public var verifier: any ReceiptVerifier
    public var refresh: Refresh
    /// The receipt is looked at when products are loaded. Otherwise that is left to ``CatalogManager/refreshReceipt(_:)``.
    public var readsAtLaunch: Bool

    public init(verifier: any ReceiptVerifier, refresh: Refresh = .never, readsAtLaunch: Bool = true) {
        self.verifier = verifier
        self.refresh = refresh
        self.readsAtLaunch = readsAtLaunch
    }
}

/// Why there is no good receipt. What is recorded stays.
public enum ReceiptFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// None lies on this device.
    case missing
    /// The one that there is cannot be trusted.
    case rejected([RejectionReason])
    /// Whether it can be trusted is not known. It is looked at again when products are next loaded.
    case undetermined(String)
    /// The store could not be asked for it.
    case store(StoreError)

    /// Why, as the rest of a sentence.
    public var description: String {
        switch self {
        case .missing: "there is none on this device"
        case .rejected(let reasons): reasons.inWords
        case .undetermined(let reason): reason
        case .store(let error): error.reason
        }
    }
}
