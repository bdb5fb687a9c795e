// One import for code that runs on Apple's platforms and elsewhere. Swift packages other than this one can contain a module
// named StoreKit off Apple's platforms, and such a module is not meant here.
#if canImport(Darwin)
    @_exported public import StoreKit
#else
    @_exported public import OpenStoreKit
#endif
