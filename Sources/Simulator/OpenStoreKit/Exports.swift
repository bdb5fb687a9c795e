// Apple's module StoreKit re-exports Foundation and Combine.
@_exported public import Foundation

#if canImport(Combine)
    @_exported public import Combine
#else
    @_exported public import OpenCombine
#endif
