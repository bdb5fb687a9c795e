// What `CatalogManager` takes and gives is declared in these modules: an app that imports Vitrine can use it all.
@_exported public import CatalogLoading
@_exported public import Entitlements
@_exported public import HostedContent
@_exported public import Networking
@_exported public import ProductCatalog
@_exported public import Purchasing
@_exported public import Receipts
