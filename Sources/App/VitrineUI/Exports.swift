// What an app names of a shop's content when it replaces pieces of `VitrineUI`.
@_exported public import struct VitrineShopContent.BundleContent
@_exported public import struct VitrineShopContent.DownloadContent
@_exported public import struct VitrineShopContent.PlanContent
@_exported public import enum VitrineShopContent.PlanRelation
@_exported public import struct VitrineShopContent.ProductContent
@_exported public import enum VitrineShopContent.ProductState
@_exported public import struct VitrineShopContent.SaleContent
@_exported public import struct VitrineShopContent.ShopDisplay
@_exported public import struct VitrineShopContent.ShopMessage
@_exported public import enum VitrineShopContent.ShopPhrase
@_exported public import struct VitrineShopContent.ShopPhrases
