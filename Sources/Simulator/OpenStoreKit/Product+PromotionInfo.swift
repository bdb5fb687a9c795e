extension Product {
    /// Position and visibility of a product among the promoted products on the app's page in the store. The simulated
    /// store has no such page: it only stores the app's settings, in memory.
    @available(iOS 16.4, *)
    @available(macCatalyst, unavailable)
    @available(macOS, unavailable)
    @available(tvOS, unavailable)
    @available(watchOS, unavailable)
    @available(visionOS, unavailable)
    public struct PromotionInfo: Sendable, Hashable {
        public let productID: Product.ID
        public var visibility: Visibility

        /// Visibility of a promoted product on this device.
        public enum Visibility: Sendable, Hashable {
            case appStoreConnectDefault
            case hidden
            case visible
        }

        /// Promoted products in the order that the app has set.
        public static var currentOrder: [PromotionInfo] {
            get async throws { try StoreConnection.current.promotions().compactMap { $0 as? PromotionInfo } }
        }

        /// Sets the visibility of the product.
        ///
        /// - Throws: ``StoreKitError`` if no store is attached.
        public func update() async throws {
            try await Self.updateProductVisibility(visibility, for: productID)
        }

        /// Sets order and visibility of products.
        ///
        /// - Throws: ``StoreKitError`` if no store is attached.
        public static func updateAll(_ promotions: some Collection<PromotionInfo>) async throws {
            let promotions = Array(promotions)
            try change { $0 = promotions }
        }

        /// Sets the order of products. Promoted products that are not named follow in their present order.
        ///
        /// - Throws: ``StoreKitError`` if no store is attached.
        public static func updateProductOrder(byID order: some Collection<Product.ID>) async throws {
            let order = Array(order)
            try change { promotions in
                let known = Dictionary(promotions.map { ($0.productID, $0) }) { first, _ in first }
                let rest = promotions.filter { !order.contains($0.productID) }
                promotions =
                    order.map { known[$0] ?? PromotionInfo(productID: $0, visibility: .appStoreConnectDefault) } + rest
            }
        }

        /// Sets the visibility of a product.
        ///
        /// - Throws: ``StoreKitError`` if no store is attached.
        public static func updateProductVisibility(_ visibility: Visibility, for id: Product.ID) async throws {
            try change { promotions in
                if let index = promotions.firstIndex(where: { $0.productID == id }) {
                    promotions[index].visibility = visibility
                } else {
                    promotions.append(PromotionInfo(productID: id, visibility: visibility))
                }
            }
        }

        private static func change(_ change: @Sendable (inout [PromotionInfo]) -> Void) throws(StoreKitError) {
            try StoreConnection.current.changePromotions { stored in
                var promotions = stored.compactMap { $0 as? PromotionInfo }
                change(&promotions)
                stored = promotions
            }
        }
    }
}
