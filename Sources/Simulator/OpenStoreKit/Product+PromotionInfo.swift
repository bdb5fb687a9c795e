/// Setting of a promoted product, as a connection stores it: ``Product/PromotionInfo`` is not `Sendable`, and only iOS
/// has it.
struct Promotion: Sendable {
    let productID: String
    /// Raw value of the visibility.
    var visibility: Int
}

extension Product {
    /// Position and visibility of a product among the promoted products on the app's page in the store. The simulated
    /// store has no such page: it only stores the app's settings, in memory.
    @available(iOS 16.4, *)
    @available(macOS, unavailable)
    @available(tvOS, unavailable)
    @available(watchOS, unavailable)
    @available(visionOS, unavailable)
    public struct PromotionInfo: Equatable {
        public let productID: Product.ID
        public var visibility: Visibility

        /// Visibility of a promoted product on this device.
        @nonexhaustive
        public enum Visibility: Int {
            case appStoreConnectDefault
            case visible
            case hidden
        }

        /// Promoted products in the order that the app has set.
        public static var currentOrder: [PromotionInfo] {
            get async throws {
                try StoreConnection.current.promotions().map {
                    PromotionInfo(
                        productID: $0.productID,
                        visibility: Visibility(rawValue: $0.visibility) ?? .appStoreConnectDefault)
                }
            }
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
            let stored = promotions.map { Promotion(productID: $0.productID, visibility: $0.visibility.rawValue) }
            try StoreConnection.current.changePromotions { $0 = stored }
        }

        /// Sets the order of products. Promoted products that are not named follow in their present order.
        ///
        /// - Throws: ``StoreKitError`` if no store is attached.
        public static func updateProductOrder(byID order: some Collection<Product.ID>) async throws {
            let order = Array(order)
            let unset = Visibility.appStoreConnectDefault.rawValue
            try StoreConnection.current.changePromotions { promotions in
                let known = Dictionary(promotions.map { ($0.productID, $0) }) { first, _ in first }
                let rest = promotions.filter { !order.contains($0.productID) }
                promotions =
                    order.map { known[$0] ?? Promotion(productID: $0, visibility: unset) } + rest
            }
        }

        /// Sets the visibility of a product.
        ///
        /// - Throws: ``StoreKitError`` if no store is attached.
        public static func updateProductVisibility(_ visibility: Visibility, for productID: Product.ID) async throws {
            let value = visibility.rawValue
            try StoreConnection.current.changePromotions { promotions in
                if let index = promotions.firstIndex(where: { $0.productID == productID }) {
                    promotions[index].visibility = value
                } else {
                    promotions.append(Promotion(productID: productID, visibility: value))
                }
            }
        }
    }
}
