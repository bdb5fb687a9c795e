package import Foundation
package import VitrineCatalog
package import VitrineReceipts

/// Purchase history of a customer as an app knows it, for example from a ledger that the customer has exported.
package struct CustomerCase: Sendable {
    /// Purchase of a product, or of one period of a subscription.
    package struct Purchase: Sendable {
        /// Identifier by which changes refer to the purchase.
        package let id: String
        /// Identifier of the first transaction, which the periods of a subscription share.
        package let original: String
        package let product: String
        package let quantity: Int
        package let date: Date
        /// End of the period; `nil` for a purchase without a period.
        package var end: Date?
        /// End of the grace period that followed; `nil` without a grace period.
        package var graceEnd: Date?
        package let isFamilyShared: Bool
        /// `true` if the store itself began the period, as a renewal.
        package let isRenewal: Bool
        package let accountToken: UUID?
        /// Offer that set the price, with its identifier; `nil` if there was no offer, or it is not known.
        package var offer: (kind: StoreConfiguration.Offer.Kind, identifier: String?)?

        package init(
            id: String, original: String, product: String, quantity: Int = 1, date: Date, end: Date? = nil,
            graceEnd: Date? = nil, isFamilyShared: Bool = false, isRenewal: Bool = false,
            accountToken: UUID? = nil
        ) {
            (self.id, self.original, self.product, self.quantity) = (id, original, product, quantity)
            (self.date, self.end, self.graceEnd) = (date, end, graceEnd)
            (self.isFamilyShared, self.isRenewal, self.accountToken) = (isFamilyShared, isRenewal, accountToken)
        }
    }

    /// Change of a purchase after it was made.
    package struct Change: Sendable {
        package enum Kind: Sendable {
            /// Revocation: a refund of the given share of the price, in thousandths of a percent, or of the whole price
            /// if the share is `nil`; or the end of family sharing.
            case revocation(percentage: Int?)
            case reinstatement
            /// Extension of the period to a later end.
            case extended(to: Date)
        }

        package let purchase: String
        package let date: Date
        package let kind: Kind

        package init(of purchase: String, at date: Date, _ kind: Kind) {
            (self.purchase, self.date, self.kind) = (purchase, date, kind)
        }
    }

    /// The store's information about the renewal of a subscription at one date.
    package struct Statement: Sendable {
        /// Identifier of the subscription's first transaction.
        package let original: String
        package let date: Date
        package let isRenewing: Bool
        /// Product to which the subscription renews; `nil` if it is not known.
        package var nextProduct: String?
        package var isInBillingRetry = false
        /// Reason why the subscription has ended; `nil` if it has not ended, or the reason is not known.
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
    /// Date until which the history is known.
    package var date: Date
    /// Parts of the history that no store can repeat, each as a sentence without capital letter and period.
    package var omissions: [String] = []

    package init(until date: Date) { self.date = date }
}
