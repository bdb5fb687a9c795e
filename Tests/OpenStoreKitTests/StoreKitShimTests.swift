import StoreKitShim
import Testing

/// Code that imports the shim alone.
@Test func `the shim has StoreKit's names`() async {
    #expect(Product.ProductType.consumable.rawValue == "Consumable")
    #expect(SubscriptionPeriod.monthly == Product.SubscriptionPeriod.monthly)
    let error = StoreKitError.networkError(URLError(.timedOut))
    #expect(error.errorDescription?.hasPrefix("The store cannot be reached") == true)
}
