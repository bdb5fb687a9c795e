import StoreKit

#if !canImport(StoreKit)
    #error("the module alias does not reach this target")
#endif

/// Buys one newspaper.
public func buyPaper() async throws -> StoreKit.Transaction? {
    guard let paper = try await StoreKit.Product.products(for: ["paper"]).first,
        case .success(.verified(let transaction)) = try await paper.purchase()
    else { return nil }
    await transaction.finish()
    return transaction
}
