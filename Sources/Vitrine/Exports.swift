// Modules that declare the types that `CatalogManager` uses: an app that imports Vitrine can use them all.
@_exported public import CatalogLoading
@_exported public import Entitlements
@_exported public import HostedContent
@_exported public import Networking
@_exported public import ProductCatalog
@_exported public import Purchasing
@_exported public import Receipts
