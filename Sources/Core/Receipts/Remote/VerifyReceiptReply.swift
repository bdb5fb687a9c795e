/// Reply of Apple's `verifyReceipt` for a verified receipt, with some fields of its
/// [responseBody](https://developer.apple.com/documentation/appstorereceipts/responsebody).
public struct VerifyReceiptReply: Sendable, Hashable {
    /// Purchase in a reply of `verifyReceipt`.
    public struct Purchase: Sendable, Hashable {
        public let transactionID: String
        public let originalTransactionID: String?
        public let productIdentifier: String
        public let quantity: Int
        /// `true` if the store has revoked the purchase, or if the customer has upgraded to a better subscription
        /// before the end of the purchased period.
        public let isCancelled: Bool
    }

    /// Status of the reply: 0 or 21006. The status 21006 occurs for a receipt of the oldest format, which contains one
    /// transaction, if the subscription of the transaction has ended.
    public let status: Int
    /// Environment that issued the receipt.
    public let environment: StoreEnvironment
    public let bundleIdentifier: String
    /// Purchases in the receipt, and later renewals that Apple has recorded.
    public let purchases: [Purchase]

    /// Returns the purchase with the identifier, product and quantity of a transaction; `nil` if there is none, or it
    /// was canceled.
    public func purchase(for transaction: TransactionPayload) -> Purchase? {
        let purchases = purchases.filter { $0.transactionID == transaction.transactionID }
        guard !purchases.contains(where: \.isCancelled) else { return nil }
        return purchases.first {
            $0.productIdentifier == transaction.productIdentifier && $0.quantity == transaction.quantity
        }
    }
}

/// Reply of `verifyReceipt` as received, with any status.
struct VerifyReceiptBody: Decodable {
    let status: Int
    let environment: String?
    /// `true` if the request can be repeated after an internal error of Apple; `nil` if the reply does not contain this
    /// field.
    let isRetryable: Bool?
    let bundleIdentifier: String?
    let purchases: [VerifyReceiptReply.Purchase]

    private enum CodingKeys: String, CodingKey {
        case status, environment, receipt
        case isRetryable = "is-retryable"
        case latestReceiptInfo = "latest_receipt_info"
        case latestExpiredReceiptInfo = "latest_expired_receipt_info"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(Int.self, forKey: .status)
        environment = try container.decodeIfPresent(String.self, forKey: .environment)
        isRetryable = try container.decodeIfPresent(Flag.self, forKey: .isRetryable)?.value
        let receipt = try container.decodeIfPresent(Receipt.self, forKey: .receipt)
        bundleIdentifier = receipt?.bundleIdentifier
        purchases = try [CodingKeys.latestReceiptInfo, .latestExpiredReceiptInfo].reduce(receipt?.purchases ?? []) {
            try $0 + (container.decodeIfPresent(PurchaseList.self, forKey: $1)?.purchases ?? [])
        }
    }

    /// Boolean value. Apple encodes it as `true` or as 1.
    private struct Flag: Decodable {
        let value: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let bool = try? container.decode(Bool.self) {
                value = bool
            } else {
                value = try container.decode(Int.self) != 0
            }
        }
    }

    private struct Receipt: Decodable {
        let bundleIdentifier: String?
        let purchases: [VerifyReceiptReply.Purchase]

        private enum CodingKeys: String, CodingKey {
            case bundleIdentifier = "bundle_id"
            /// Name of the field with the bundle identifier in receipts of the oldest format, which contain one
            /// transaction.
            case oldBundleIdentifier = "bid"
            case purchases = "in_app"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let old = try container.decodeIfPresent(String.self, forKey: .oldBundleIdentifier)
            bundleIdentifier = try container.decodeIfPresent(String.self, forKey: .bundleIdentifier) ?? old
            purchases =
                if let list = try container.decodeIfPresent(PurchaseList.self, forKey: .purchases) {
                    list.purchases
                } else if old != nil {
                    [try PurchaseField(from: decoder).purchase]
                } else {
                    []
                }
        }
    }

    /// List of purchases, or the single purchase in replies of the oldest format.
    private struct PurchaseList: Decodable {
        let purchases: [VerifyReceiptReply.Purchase]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let single = try? container.decode(PurchaseField.self) {
                purchases = [single.purchase]
            } else {
                purchases = try container.decode([PurchaseField].self).map(\.purchase)
            }
        }
    }

    private struct PurchaseField: Decodable {
        let purchase: VerifyReceiptReply.Purchase

        private enum CodingKeys: String, CodingKey {
            case quantity
            case productIdentifier = "product_id"
            case transactionID = "transaction_id"
            case originalTransactionID = "original_transaction_id"
            case cancellationDate = "cancellation_date"
            case cancellationMilliseconds = "cancellation_date_ms"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let quantity = try container.decode(String.self, forKey: .quantity)
            guard let quantity = Int(quantity), quantity >= 1 else {
                throw DecodingError.dataCorruptedError(
                    forKey: .quantity, in: container,
                    debugDescription: "the quantity of a purchase is not a number above zero")
            }
            let cancellation = try [.cancellationDate, .cancellationMilliseconds].compactMap {
                try container.decodeIfPresent(String.self, forKey: $0)
            }
            purchase = VerifyReceiptReply.Purchase(
                transactionID: try container.decode(String.self, forKey: .transactionID),
                originalTransactionID: try container.decodeIfPresent(String.self, forKey: .originalTransactionID),
                productIdentifier: try container.decode(String.self, forKey: .productIdentifier), quantity: quantity,
                isCancelled: cancellation.contains { !$0.isEmpty })
        }
    }
}
