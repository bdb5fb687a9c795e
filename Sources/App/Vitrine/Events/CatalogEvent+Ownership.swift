internal import Foundation
internal import Logging
public import VitrineCatalog
public import VitrineEntitlements
public import VitrinePurchasing
public import VitrineReceipts

extension CatalogEvent {
    /// Change of the customer's ownership, subscriptions, wallets or original purchase.
    public enum Entitlements: Sendable {
        /// Products whose ownership has changed: newly owned, or no longer owned.
        case ownershipChanged([String])
        /// A subscription began, or its state, period, product or renewal has changed.
        case subscriptionChanged(CustomerSubscription)
        /// New balance of a wallet.
        case walletChanged(String, balance: WalletBalance)
        /// The customer's original purchase of the app is known now, and so is the ownership of grandfathered products.
        case originalPurchaseKnown(OriginalPurchase)
        /// Another App Store account is signed in on the device. The identifiers are those by which the store
        /// distinguishes the customers of the app (`appTransactionID`). ``AccountPolicy`` determines what is owned now.
        case accountChanged(from: String, to: String)
        /// The customer's original purchase of the app could not be determined. An earlier result stays.
        case appTransactionFailed(ReceiptFailure)
    }

    /// Result of reading the app receipt.
    public enum Receipt: Sendable {
        /// The app receipt is valid, and its purchases are recorded, except those of ``purchaseNotRecorded(_:)``.
        case validated(SignedAppReceipt)
        /// There is no valid app receipt. Earlier results stay.
        case validationFailed(ReceiptFailure)
        /// A purchase in a valid receipt could not be recorded. Recording is retried with the next receipt that is
        /// read.
        case purchaseNotRecorded(UnrecordedPurchase)
    }

    /// Change or failure of the ledger.
    public enum Ledger: Sendable {
        /// An earlier ledger was lost, or its loss is settled (`nil`).
        case lossChanged(Fact.Loss?)
        /// The ledger could not be read or written. Ownership and balances may be outdated. Recording of facts is
        /// retried.
        case failed(LedgerError)
        /// The data of the ledger's first signed entry was not signed by this store: the ledger may belong to another
        /// store, environment or app. Ownership does not change. ``CatalogManager/LedgerAccess/check()`` finds all such
        /// entries.
        case notTrusted(LedgerCheck.Untrusted)
        /// The data of a legacy library was imported.
        case legacyLibraryImported(LegacyLibrary, LegacyState)
    }
}

extension CatalogEvent.Entitlements {
    var description: EventDescription {
        switch self {
        case .ownershipChanged(let identifiers):
            EventDescription(.info, "ownership changed", products: identifiers)
        case .subscriptionChanged(let subscription):
            EventDescription(
                .info, "subscription changed", products: [subscription.productIdentifier],
                facts: [("state", subscription.state.rawValue)], details: [("subscription", subscription.id)],
                note: subscription.details)
        case .walletChanged(let wallet, let balance):
            EventDescription(
                .debug, "wallet changed", details: [("wallet", wallet), ("balance", balance.description)])
        case .originalPurchaseKnown(let original):
            EventDescription(.debug, "original purchase of the app known", note: "installed \(original.description)")
        case .accountChanged(let former, let account):
            EventDescription(
                .info, "App Store account changed", details: [("former", former), ("account", account)])
        case .appTransactionFailed(let failure):
            EventDescription(failure.isFinal ? .error : .warning, "app transaction not usable", error: failure)
        }
    }
}

extension ReceiptFailure {
    fileprivate var isFinal: Bool { if case .rejected = self { true } else { false } }
}

extension CatalogEvent.Receipt {
    var description: EventDescription {
        switch self {
        case .validated(let receipt):
            EventDescription(
                .info, "receipt validated", facts: [("count", "\(receipt.receipt.purchases.count)")],
                details: [("created", receipt.receipt.creationDate.formatted(.iso8601))])
        case .validationFailed(let failure): EventDescription(.error, "receipt validation failed", error: failure)
        case .purchaseNotRecorded(let unrecorded):
            EventDescription(
                .warning, "receipt purchase not recorded", products: [unrecorded.purchase.productIdentifier],
                facts: [("reason", unrecorded.reason.code)],
                details: [("transaction", unrecorded.purchase.transactionID)], note: unrecorded.reason.description)
        }
    }
}

extension CatalogEvent.Ledger {
    var description: EventDescription {
        switch self {
        case .lossChanged(let loss?): EventDescription(.error, "ledger lost", note: loss.reason)
        case .lossChanged(nil): EventDescription(.info, "ledger loss settled")
        case .failed(let error): EventDescription(.error, "ledger not usable", error: error)
        case .notTrusted(let entry):
            EventDescription(
                .error, "ledger not trusted", details: [("entry", "\(entry.sequence)")], note: entry.reason)
        case .legacyLibraryImported(let library, let state):
            EventDescription(
                .info, "legacy library imported",
                facts: [
                    ("library", library.rawValue), ("owned", "\(state.owned.count)"),
                    ("wallets", "\(state.balances.count)"),
                ])
        }
    }
}
