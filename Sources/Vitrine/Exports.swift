// Types that an app names when it uses `CatalogManager`: an app that imports Vitrine sees these and Vitrine's own.
// Values of all others can be used without a name; code that names them, such as an implementation of `Ledger`, imports
// their module too.
@_exported public import FileSystem

@_exported public import enum CatalogLoading.CatalogSource
@_exported public import struct CatalogLoading.CatalogStatus
@_exported public import struct CatalogLoading.CatalogTrust
@_exported public import struct CatalogLoading.LoadedCatalog
@_exported public import struct CatalogLoading.RemoteCatalog
@_exported public import struct Entitlements.AppliedOffer
@_exported public import struct Entitlements.CustomerSubscription
@_exported public import protocol Entitlements.Ledger
@_exported public import struct Entitlements.LedgerEntry
@_exported public import typealias Entitlements.LedgerError
@_exported public import enum Entitlements.Ownership
@_exported public import enum Entitlements.PriceIncreaseConsent
@_exported public import enum Entitlements.SubscriptionEndReason
@_exported public import enum Entitlements.WalletBalance
@_exported public import typealias HostedContent.ContentError
@_exported public import struct HostedContent.ContentQuota
@_exported public import enum HostedContent.DownloadPermission
@_exported public import struct HostedContent.DownloadPolicy
@_exported public import enum HostedContent.DownloadState
@_exported public import struct HostedContent.DownloadStatus
@_exported public import struct HostedContent.InstalledContent
@_exported public import struct HostedContent.PackageFolder
@_exported public import struct Networking.RetrySchedule
@_exported public import struct ProductCatalog.Catalog
@_exported public import typealias ProductCatalog.CatalogError
@_exported public import struct ProductCatalog.CatalogProduct
@_exported public import enum ProductCatalog.ProductKind
@_exported public import struct ProductCatalog.StoreProduct
@_exported public import struct ProductCatalog.SubscriptionDuration
@_exported public import struct Purchasing.AppHooks
@_exported public import enum Purchasing.AppVerification
@_exported public import enum Purchasing.Delivery
@_exported public import enum Purchasing.DeliveryDecision
@_exported public import protocol Purchasing.DeliveryHandler
@_exported public import enum Purchasing.PendingReason
@_exported public import struct Purchasing.PendingTransaction
@_exported public import struct Purchasing.PromotionalOffer
@_exported public import enum Purchasing.PurchaseAnswer
@_exported public import typealias Purchasing.PurchaseFailure
@_exported public import struct Purchasing.PurchaseOptions
@_exported public import struct Purchasing.RestoreResult
@_exported public import protocol Purchasing.Store
@_exported public import typealias Purchasing.StoreError
@_exported public import enum Purchasing.TransactionStep
@_exported public import struct Receipts.AppReceiptVerifier
@_exported public import protocol Receipts.ReceiptVerifier
@_exported public import struct Receipts.ServerVerifier
@_exported public import struct Receipts.SignedDataVerifier
@_exported public import struct Receipts.SignedTransaction
@_exported public import struct Receipts.StoreEnvironment
@_exported public import protocol Receipts.TransactionVerifier
@_exported public import struct Receipts.TrustedRoots
