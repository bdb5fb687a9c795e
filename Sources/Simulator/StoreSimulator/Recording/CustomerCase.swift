package import Foundation
package import VitrineCatalog
package import VitrineReceipts

/// Past of a customer as an app knows it, such as from a ledger that the customer has exported.
package struct CustomerCase: Sendable {
    /// Purchase of a product, or of a period of a subscription.
    package struct Purchase: Sendable {
        /// Identifier by which changes name the purchase.
        package let id: String
        /// Identifier of the first transaction, which the periods of a subscription share.
        package let original: String
        package let product: String
        package let quantity: Int
        package let date: Date
        /// End of the period; `nil` for a purchase without a period.
        package var end: Date?
        /// End of the grace period after it; `nil` if there was none.
        package var graceEnd: Date?
        package let isFamilyShared: Bool
        package let accountToken: UUID?
        /// Offer that has set the price, with its identifier; `nil` if there was none, or it is not known.
        package var offer: (kind: StoreConfiguration.Offer.Kind, identifier: String?)?

        package init(
            id: String, original: String, product: String, quantity: Int = 1, date: Date, end: Date? = nil,
            graceEnd: Date? = nil, isFamilyShared: Bool = false, accountToken: UUID? = nil
        ) {
            (self.id, self.original, self.product, self.quantity) = (id, original, product, quantity)
            (self.date, self.end, self.graceEnd) = (date, end, graceEnd)
            (self.isFamilyShared, self.accountToken) = (isFamilyShared, accountToken)
        }
    }

    /// Change of a purchase after it was made.
    package struct Change: Sendable {
        package enum Kind: Sendable {
            /// Refund of a part of the price, in thousandths of a percent, or of all of it; or the end of family
            /// sharing.
            case revocation(percentage: Int?)
            case reinstatement
            /// A later end of the period.
            case extended(to: Date)
        }

        package let purchase: String
        package let date: Date
        package let kind: Kind

        package init(of purchase: String, at date: Date, _ kind: Kind) {
            (self.purchase, self.date, self.kind) = (purchase, date, kind)
        }
    }

    /// Statement of the store about the renewal of a subscription.
    package struct Statement: Sendable {
        /// Identifier of the subscription's first transaction.
        package let original: String
        package let date: Date
        package let isRenewing: Bool
        /// Product to which the subscription renews; `nil` if it is not known.
        package var nextProduct: String?
        package var isInBillingRetry = false
        /// Reason why the subscription has ended; `nil` if it has not, or the reason is not known.
        package var endReason: ExpirationIntent?

        package init(original: String, date: Date, isRenewing: Bool) {
            (self.original, self.date, self.isRenewing) = (original, date, isRenewing)
        }
    }

    /// Original purchase of the app; `nil` if it is not known.
    package var app: OriginalPurchase?
    package var purchases: [Purchase] = []
    package var changes: [Change] = []
    package var statements: [Statement] = []
    /// Date until which the past is known.
    package var date: Date
    /// What the past has besides, and no store can repeat, each as a sentence without capital letter and period.
    package var omissions: [String] = []

    package init(until date: Date) { self.date = date }
}
