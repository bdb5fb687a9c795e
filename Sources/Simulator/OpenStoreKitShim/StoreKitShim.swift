// Lets code for Apple's platforms and Linux use one import. The module StoreKit is not imported off Apple's platforms,
// because another Swift package may contain a module with that name there.
#if canImport(Darwin)
    @_exported public import StoreKit
#else
    @_exported public import OpenStoreKit
#endif
