import StoreKit

/// Shop of a newspaper: single papers, and a subscription.
public actor Kiosk {
    /// Papers that the reader has bought and not read.
    public private(set) var papers = 0
    /// `true` while the reader is subscribed.
    public private(set) var isSubscribed = false
    private var listener: Task<Void, Never>?

    public init() {}

    /// Listens to transactions that were not made by ``buy(_:)``.
    public func start() async {
        listener = Task { [weak self] in
            for await result in Transaction.updates { await self?.deliver(result) }
        }
        await refresh()
    }

    public func stop() { listener?.cancel() }

    /// Buys a product.
    ///
    /// - Returns: `false` if the reader cancelled, or the purchase waits for approval.
    public func buy(_ id: String) async throws -> Bool {
        guard let product = try await Product.products(for: [id]).first else {
            throw Product.PurchaseError.productUnavailable
        }
        switch try await product.purchase() {
        case .success(let result):
            await deliver(result)
            return true
        case .userCancelled, .pending: return false
        @unknown default: return false
        }
    }

    private func deliver(_ result: VerificationResult<Transaction>) async {
        guard case .verified(let transaction) = result else { return }
        if transaction.productType == .consumable, transaction.revocationDate == nil {
            papers += transaction.purchasedQuantity
        }
        await refresh()
        await transaction.finish()
    }

    /// Reads from the store whether the reader is subscribed.
    public func refresh() async {
        var isSubscribed = false
        for await result in Transaction.currentEntitlements {
            if case .verified(let transaction) = result, transaction.productType == .autoRenewable {
                isSubscribed = true
            }
        }
        self.isSubscribed = isSubscribed
    }
}
