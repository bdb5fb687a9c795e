public import CatalogLoading
public import Entitlements
public import Foundation
public import HostedContent
public import ProductCatalog
public import Purchasing
public import Receipts

/// Something that an app may want to know, in the order in which it happened.
public enum CatalogEvent: Sendable {
    case statusChanged(LoadingStatus)
    /// The catalog was read, with what its rules found.
    case listUpdated(Catalog)
    /// There is no catalog that could be read. What was known before stays.
    case listFailed(CatalogError)
    /// The server's catalog could not be had. The one that is used instead is what was downloaded before, or the app's own.
    case listNotRefreshed(CatalogError, using: LoadedCatalog)
    /// The cache of downloaded catalogs could not be read or written. Nothing but the download is lost by it.
    case catalogCacheFailed(CatalogCacheError)
    /// The store answered; these identifiers of the catalog it does not know.
    case productsUpdated(invalidIdentifiers: [String])
    /// The store could not be asked. What it said before stays.
    case productsFailed(StoreError)
    /// These products are shown otherwise than before, in the order of the catalog.
    case listingChanged([ProductListing])
    /// The listener was slow: this many events that followed the last one are lost to it. What is true by now can be read
    /// from the manager.
    case eventsMissed(Int)
    /// What the store had said before the manager was made could not be read from the ledger. It counts as nothing.
    case keptAnswerLost(LedgerError)
    /// What the store has said could not be kept for a start without a network. It is used all the same.
    case storeAnswerNotKept(LedgerError)
    /// Products will be loaded again by themselves, because something could not be had.
    case retryScheduled(at: Date, because: LoadFailure)
    /// A transaction took a step.
    case transactionUpdated(TransactionStep)
    /// The store could not be asked for the transactions that nobody has finished.
    case backlogFailed(StoreError)
    /// These products are owned now and were not before, or the other way round: ``CatalogManager/ownership(of:)``
    /// tells which.
    case ownershipChanged([String])
    /// How the customer first got the app is known now: what is owned because of that is decided.
    case originalPurchaseKnown(OriginalPurchase)
    /// How the customer first got the app could not be found out. What was known before stays.
    case appTransactionFailed(AppTransactionFailure)
    /// The app receipt is good, and what it says is recorded, but for what ``receiptPurchaseWaits(_:)`` tells of.
    case receiptDidValidate(SignedAppReceipt)
    /// There is no good app receipt. What was known before stays.
    case receiptValidationDidFail(ReceiptFailure)
    /// A good receipt has a purchase that could not be recorded. It is tried again with the next one that is looked at.
    case receiptPurchaseWaits(UnrecordedPurchase)
    /// The content directory or the packages could not be read or written.
    case contentFailed(ContentError)
    /// Some backups may take content along although its folder is marked.
    case contentMayBeBackedUp(BackupGap)
    /// A download has come a step further; its progress is told a few times in a second at most.
    case downloadUpdated(DownloadStatus)
    /// Content was installed, for a purchase or because somebody has asked for it.
    case contentInstalled(InstalledContent)
    /// The content of these products was removed: what was given out of it is gone.
    case contentRemoved([String])
    /// An image of the catalog could not be fetched, or is none that is shown; its address. What was there before stays.
    case imageFailed(String, ImageError)
    /// Which images are in the cache could not be written down: they are fetched again.
    case imagesNotKept(ImageError)
    /// A wallet's balance changed.
    case walletChanged(String, balance: WalletBalance)
    /// An earlier ledger was lost, or that was settled.
    case ledgerLossChanged(Fact.Loss?)
    /// What the store knows was read into the ledger that took the place of one that was lost.
    case ledgerRebuilt(RestoreResult)
    /// What another library had left was taken over.
    case predecessorTakenOver(Predecessor, PredecessorState)
    /// The customer has asked for a product in the store itself.
    case purchasePromoted(String)
    /// The ledger could not be read or written: what is shown may be out of date, and what could not be recorded is tried
    /// again.
    case ledgerFailed(LedgerError)
    case purchaseAnswered(String, PurchaseAnswer)
    case restoreAnswered(RestoreResult)
    /// The store could not be asked what was bought. What was owned stays owned.
    case restoreFailed(StoreError)
}

/// Why it could not be found out how the customer first got the app.
public enum AppTransactionFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The store could not be asked.
    case store(StoreError)
    /// What the store says cannot be trusted.
    case rejected([RejectionReason])
    /// Whether it can be trusted is not known.
    case undetermined(String)

    /// Why, as the rest of a sentence.
    public var description: String {
        switch self {
        case .store(let error): error.reason
        case .rejected(let reasons): reasons.inWords
        case .undetermined(let reason): reason
        }
    }
}
