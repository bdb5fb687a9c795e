package import Purchasing

extension PurchaseQueue {
    package func purchase(_ identifier: String, quantity: Int) async -> PurchaseAnswer {
        await purchase(identifier, options: PurchaseOptions(quantity: quantity))
    }
}
