// Apple's module StoreKitTest re-exports StoreKit.
@_exported public import OpenStoreKit
