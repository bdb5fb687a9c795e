internal import Foundation
public import VitrinePurchasing
public import VitrineReceipts

/// Options for the app receipt.
///
/// The contents of a valid receipt are recorded: purchases, except for consumables, which are credited from their
/// transactions; revocations by the store; and the original purchase of the app, if no app transaction provides it. If
/// an app verifies transactions itself (`AppHooks.verification`), this verification is not called for receipts, and
/// only the revocations among the purchases of a receipt are recorded.
///
/// A receipt contains neither the app's account of a purchase nor whether the purchase is shared by a family. A
/// purchase that ``CatalogManager/restore(accountToken:)`` ignores because it belongs to another account is therefore
/// recorded from a receipt nevertheless. An app whose accounts own products separately on one device should not read
/// receipts, or should verify transactions itself.
public struct ReceiptOptions: Sendable {
    /// Condition for requesting a new receipt if the receipt is missing or cannot be trusted.
    public enum Refresh: Sendable, Hashable {
        /// A new receipt is requested only by ``CatalogManager/Purchases/refreshReceipt(_:)``.
        case never
        /// A new receipt is also requested when products are loaded, once for each manager, which is once in a launch.
        /// The store may ask the customer for a password. No receipt is requested if the validity of the current one
        /// cannot be determined, or if a new one would not help: the receipt is of another app or environment, or the
        /// app's own server has rejected it.
        case whenMissing
    }

    /// Verifier that decides whether a receipt can be trusted. A load waits for it only within
    /// ``ManagerOptions/Purchases/hookLimit``; the receipt is then read again with the next load. Calls of the manager
    /// within the verifier are treated as within `AppHooks`.
    public var verifier: any ReceiptVerifier
    public var refresh: Refresh
    /// `true` to read the receipt when products are loaded. Otherwise only
    /// ``CatalogManager/Purchases/refreshReceipt(_:)`` reads one.
    public var readsAtLaunch: Bool

    public init(verifier: any ReceiptVerifier, refresh: Refresh = .never, readsAtLaunch: Bool = true) {
        self.verifier = verifier
        self.refresh = refresh
        self.readsAtLaunch = readsAtLaunch
    }
}

/// Reason why there is no valid receipt, or no valid app transaction. Recorded facts stay.
public enum ReceiptFailure: DescribedError {
    /// There is no receipt on this device.
    case missing
    /// The receipt cannot be trusted.
    case rejected([RejectionReason])
    /// The validity of the receipt cannot be determined. The receipt is read again when products are next loaded.
    case undetermined(String)
    /// The store could not provide the receipt.
    case store(StoreError)

    /// Description of the failure, in lower case and without a period.
    public var description: String {
        switch self {
        case .missing: "there is no receipt on this device"
        case .rejected(let reasons): reasons.joinedReasons
        case .undetermined(let reason): reason
        case .store(let error): error.reason
        }
    }

    public var recoverySuggestion: String? {
        switch self {
        case .missing: "Refresh the receipt, or restore the purchases."
        case .rejected(let reasons): reasons.lazy.compactMap(\.recoverySuggestion).first
        case .undetermined: "Load the products again later."
        case .store(let error): error.recoverySuggestion
        }
    }

    public var codeName: String {
        switch self {
        case .missing: "missing"
        case .rejected(let reasons): reasons.codes
        case .undetermined: "undetermined"
        case .store(let error): error.codeName
        }
    }
}
