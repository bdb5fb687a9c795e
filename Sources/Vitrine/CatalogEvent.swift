public import Entitlements
public import ProductCatalog
public import Purchasing

/// Something that an app may want to know, in the order in which it happened.
public enum CatalogEvent: Sendable {
    case statusChanged(LoadingStatus)
    /// The catalog was read, with what its rules found.
    case listUpdated(Catalog)
    /// The catalog could not be read. What was known before stays.
    case listFailed(CatalogError)
    /// The store answered; these identifiers of the catalog it does not know.
    case productsUpdated(invalidIdentifiers: [String])
    /// The store could not be asked. What it said before stays.
    case productsFailed(StoreError)
    /// A transaction took a step.
    case transactionUpdated(TransactionStep)
    /// The store could not be asked for the transactions that nobody has finished.
    case backlogFailed(StoreError)
    /// These products are owned now and were not before, or the other way round: ``CatalogManager/ownership(of:)``
    /// tells which.
    case ownershipChanged([String])
    /// A wallet's balance changed.
    case walletChanged(String, balance: Int)
    /// The ledger could not be read: what is shown may be out of date.
    case ledgerFailed(LedgerError)
    case purchaseAnswered(String, PurchaseAnswer)
    case restoreAnswered(RestoreResult)
}
