package import VitrinePurchasing
internal import VitrineReceipts
package import VitrineStoreSimulator

extension Product {
    /// Option of a purchase.
    public struct PurchaseOption: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case appAccountToken(UUID)
            case quantity(Int)
            case asksToBuy(Bool)
            case storefrontChange(StorefrontDecision)
            case custom(key: String, value: String)
            case promotionalOffer(PromotionalOffer)
            case introductoryOfferEligibility(String)
            case winBackOffer(String?)
            case billingPlan(VitrineReceipts.BillingPlanType)
            case testPromotionalOffer(String)
            case testCodeOffer(String)
            case testPurchaseDate(Date, SubscriptionRenewalBehavior)
        }

        let kind: Kind

        /// Token that identifies an account of the app. The store includes it in the signed transaction and in its
        /// renewals.
        public static func appAccountToken(_ token: UUID) -> PurchaseOption {
            PurchaseOption(kind: .appAccountToken(token))
        }

        /// Number of units, from 1 to 10; 1 for a product that is bought once.
        public static func quantity(_ quantity: Int) -> PurchaseOption { PurchaseOption(kind: .quantity(quantity)) }

        /// Requires that another person approves the purchase.
        public static func simulatesAskToBuyInSandbox(_ simulateAskToBuy: Bool) -> PurchaseOption {
            PurchaseOption(kind: .asksToBuy(simulateAskToBuy))
        }

        /// Closure that decides whether the purchase continues if the storefront has changed since the product was
        /// loaded. Without this option, the purchase continues.
        @preconcurrency
        public static func onStorefrontChange(
            shouldContinuePurchase: @escaping @Sendable (Storefront) -> Bool
        ) -> PurchaseOption {
            PurchaseOption(kind: .storefrontChange(StorefrontDecision(shouldContinuePurchase)))
        }

        /// Custom option, which the simulated store accepts and ignores.
        public static func custom(key: String, value: String) -> PurchaseOption {
            PurchaseOption(kind: .custom(key: key, value: value))
        }

        public static func custom(key: String, value: Double) -> PurchaseOption {
            PurchaseOption(kind: .custom(key: key, value: "\(value)"))
        }

        public static func custom(key: String, value: Bool) -> PurchaseOption {
            PurchaseOption(kind: .custom(key: key, value: "\(value)"))
        }

        public static func custom(key: String, value: Data) -> PurchaseOption {
            PurchaseOption(kind: .custom(key: key, value: value.base64EncodedString()))
        }

        /// Promotional offer that the app's server has signed with the key of the `.storekit` file.
        @available(iOS, introduced: 15.0, deprecated: 26.0, message: "Use a compact JWS.")
        @available(macOS, introduced: 12.0, deprecated: 26.0, message: "Use a compact JWS.")
        @available(tvOS, introduced: 15.0, deprecated: 26.0, message: "Use a compact JWS.")
        @available(watchOS, introduced: 8.0, deprecated: 26.0, message: "Use a compact JWS.")
        @available(visionOS, introduced: 1.0, deprecated: 26.0, message: "Use a compact JWS.")
        public static func promotionalOffer(
            offerID: String, keyID: String, nonce: UUID, signature: Data, timestamp: Int
        ) -> PurchaseOption {
            PurchaseOption(
                kind: .promotionalOffer(
                    PromotionalOffer(
                        offerID: offerID, keyID: keyID, nonce: nonce, signature: signature, timestamp: timestamp)))
        }

        @available(iOS, introduced: 17.4, deprecated: 26.0, message: "Use a compact JWS.")
        @available(macOS, introduced: 14.4, deprecated: 26.0, message: "Use a compact JWS.")
        @available(tvOS, introduced: 17.4, deprecated: 26.0, message: "Use a compact JWS.")
        @available(watchOS, introduced: 10.4, deprecated: 26.0, message: "Use a compact JWS.")
        @available(visionOS, introduced: 1.1, deprecated: 26.0, message: "Use a compact JWS.")
        public static func promotionalOffer(
            offerID: String, signature: SubscriptionOffer.Signature
        ) -> PurchaseOption {
            PurchaseOption(
                kind: .promotionalOffer(
                    PromotionalOffer(
                        offerID: offerID, keyID: signature.keyID, nonce: signature.nonce,
                        signature: signature.signature, timestamp: signature.timestamp)))
        }

        /// Promotional offer that the app's server has signed as a compact JWS, with the key of the `.storekit` file.
        public static func promotionalOffer(_ offerID: String, compactJWS: String) -> [PurchaseOption] {
            [PurchaseOption(kind: .promotionalOffer(PromotionalOffer(offerID: offerID, compactJWS: compactJWS)))]
        }

        /// Decision of the app's server, signed as a compact JWS, whether the customer is eligible for the introductory
        /// offer.
        public static func introductoryOfferEligibility(compactJWS: String) -> PurchaseOption {
            PurchaseOption(kind: .introductoryOfferEligibility(compactJWS))
        }

        /// One of the product's ``SubscriptionInfo/winBackOffers``.
        @available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        public static func winBackOffer(_ offer: SubscriptionOffer) -> PurchaseOption {
            PurchaseOption(kind: .winBackOffer(offer.id))
        }

        /// Billing plan of the subscription. The simulated store charges each period in advance: a purchase with
        /// another plan throws ``StoreKitError/unsupported``.
        @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
        public static func billingPlanType(_ type: SubscriptionInfo.BillingPlanType) -> PurchaseOption {
            PurchaseOption(kind: .billingPlan(VitrineReceipts.BillingPlanType(rawValue: type.rawValue)))
        }

        // MARK: Options of tests

        /// Promotional offer without a signature, for `SKTestSession.buyProduct(identifier:options:)` only.
        @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
        public static func promotionalOffer(id: String) -> PurchaseOption {
            PurchaseOption(kind: .testPromotionalOffer(id))
        }

        /// Offer code, given by its reference name, for `SKTestSession.buyProduct(identifier:options:)` only.
        @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
        public static func codeOffer(referenceName: String) -> PurchaseOption {
            PurchaseOption(kind: .testCodeOffer(referenceName))
        }

        /// Date of a purchase in the past, for `SKTestSession.buyProduct(identifier:options:)` only.
        @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
        public static func purchaseDate(
            _ date: Date, renewalBehavior: SubscriptionRenewalBehavior = .renewUntilNow
        ) -> PurchaseOption {
            PurchaseOption(kind: .testPurchaseDate(date, renewalBehavior))
        }

        /// Renewals of a subscription that was bought in the past.
        @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
        public enum SubscriptionRenewalBehavior: Hashable, Sendable {
            case renewUntilNow
            case cancelImmediately
        }
    }
}

extension Product.PurchaseOption: CustomDebugStringConvertible {
    public var debugDescription: String { "\(kind)" }
}

/// Closure that decides whether a purchase continues in another storefront. It is compared by identity, because
/// closures cannot be compared.
final class StorefrontDecision: Hashable, Sendable {
    let shouldContinue: @Sendable (Storefront) -> Bool

    init(_ shouldContinue: @escaping @Sendable (Storefront) -> Bool) { self.shouldContinue = shouldContinue }

    static func == (left: StorefrontDecision, right: StorefrontDecision) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Options of a purchase, with at most one value per kind of option.
package struct PurchaseRequest: Sendable {
    package private(set) var options = PurchaseOptions()
    var asksToBuy = false
    var storefrontDecision: StorefrontDecision?
    var isWithUnsupportedPlan = false
    /// Offer without a signature, which only tests may request.
    package private(set) var testOffer: RequestedOffer?
    package private(set) var date: Date?
    package private(set) var isRenewing = true

    /// Offer that the customer requests, with or without a signature; `nil` for none.
    var requestedOffer: RequestedOffer? {
        testOffer ?? options.winBackOffer.map { .winBack(identifier: $0) }
            ?? options.promotionalOffer.map { .promotional(identifier: $0.offerID) }
    }

    package init(_ options: Set<Product.PurchaseOption>) {
        for option in options {
            switch option.kind {
            case .appAccountToken(let token): self.options.accountToken = token
            case .quantity(let quantity): self.options.quantity = quantity
            case .asksToBuy(let asks): asksToBuy = asks
            case .storefrontChange(let decision): storefrontDecision = decision
            case .custom: break
            case .promotionalOffer(let offer): self.options.promotionalOffer = offer
            case .introductoryOfferEligibility(let jws): self.options.introductoryOfferEligibility = jws
            case .winBackOffer(let id): self.options.winBackOffer = id ?? ""
            case .billingPlan(let plan): isWithUnsupportedPlan = plan != .upFront
            case .testPromotionalOffer(let id): testOffer = .promotional(identifier: id)
            case .testCodeOffer(let name): testOffer = .code(name: name)
            case .testPurchaseDate(let date, let behavior):
                (self.date, isRenewing) = (date, behavior == .renewUntilNow)
            }
        }
    }
}
