/// Policy for what was bought on the device, once another App Store account is signed in. In each case nothing is deleted,
/// and the event ``CatalogEvent/Entitlements/accountChanged(from:to:)`` reports the change.
///
/// The account is known by the identifier that the store signs for each customer of the app (`appTransactionID`). Only
/// verified data changes the account. While there is none, such as on a device without a network, everything stays.
public enum AccountPolicy: String, Sendable, Hashable, CaseIterable {
    /// Everything that was bought on the device stays owned, with its wallets, whoever has bought it. The app
    /// transaction is not requested for this: the account is the one that the last new transaction names, or the app
    /// transaction, if it was requested for another reason, such as a restore. After a change, the purchases that the
    /// store knows of the present account are read as in a new installation.
    case keepAll = "keep"
    /// Only what the present account has bought or was granted is owned, and each account has wallets of its own.
    /// Everything of an account is back as soon as that account is signed in again. The app transaction is requested with
    /// each load, when the app enters the foreground, and when a transaction names another account. StoreKit may ask
    /// the customer to sign in for it on a device without an app transaction, as in TestFlight.
    ///
    /// Entries that were recorded before belong to the account that was known last, or else to the first one that is
    /// known. The ledger must be the one in the storage directory.
    case separate
}
