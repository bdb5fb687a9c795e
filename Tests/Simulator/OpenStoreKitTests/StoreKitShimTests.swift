import OpenStoreKitShim
import Testing

/// Code that imports only the shim module.
@Test func `the StoreKit shim module provides the names of Apple's StoreKit`() async {
    #expect(Product.ProductType.consumable.rawValue == "Consumable")
    #expect(SubscriptionPeriod.monthly == Product.SubscriptionPeriod.monthly)
    let error = StoreKitError.networkError(URLError(.timedOut))
    #expect(error.errorDescription?.hasPrefix("The store cannot be reached") == true)
}
