public import Foundation

/// Purchase in an app receipt.
public struct ReceiptPurchase: Sendable, Hashable {
    /// Attribute 1701: the number of units.
    public var quantity: Int
    /// Attribute 1702: the identifier of the product.
    public var productIdentifier: String
    /// Attribute 1703: the identifier of the transaction.
    public var transactionID: String
    /// Attribute 1705: the identifier of the original transaction. It differs from ``transactionID`` only in a renewed
    /// or restored purchase, and is missing in some receipts of Xcode.
    public var originalTransactionID: String?
    /// Attribute 1704: the date of the purchase or of the renewal.
    public var purchaseDate: Date
    /// Attribute 1706: the date of the original purchase.
    public var originalPurchaseDate: Date?
    /// Attribute 1707: the type of the product; `nil` if the receipt does not contain it.
    public var productType: ReceiptProductType?
    /// Attribute 1708: the end of a subscription period.
    public var expirationDate: Date?
    /// Attribute 1711: the number that identifies a subscription period.
    public var webOrderLineItemID: Int64?
    /// Attribute 1712: the revocation date of the purchase.
    public var cancellationDate: Date?
    /// Attribute 1713: `true` if the subscription period is a free trial.
    public var isTrialPeriod: Bool?
    /// Attribute 1719: `true` if the subscription period is sold at an introductory price.
    public var isIntroductoryOfferPeriod: Bool?
    /// Attribute 1721: the identifier of the promotional offer of the purchase.
    public var promotionalOfferIdentifier: String?
    /// All attributes of the purchase, known or unknown, in the order of the receipt.
    public var attributes: [ReceiptAttribute]

    /// Creates a purchase from the values of its fields.
    ///
    /// - Parameter attributes: Additional attributes of the purchase. Attributes that repeat a field of this type are
    ///   omitted when the receipt is encoded.
    package init(
        quantity: Int = 1, productIdentifier: String, transactionID: String, originalTransactionID: String? = nil,
        purchaseDate: Date, originalPurchaseDate: Date? = nil, productType: ReceiptProductType? = nil,
        expirationDate: Date? = nil, webOrderLineItemID: Int64? = nil, cancellationDate: Date? = nil,
        isTrialPeriod: Bool? = nil, isIntroductoryOfferPeriod: Bool? = nil,
        promotionalOfferIdentifier: String? = nil, attributes: [ReceiptAttribute] = []
    ) {
        self.quantity = quantity
        self.productIdentifier = productIdentifier
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate
        self.productType = productType
        self.expirationDate = expirationDate
        self.webOrderLineItemID = webOrderLineItemID
        self.cancellationDate = cancellationDate
        self.isTrialPeriod = isTrialPeriod
        self.isIntroductoryOfferPeriod = isIntroductoryOfferPeriod
        self.promotionalOfferIdentifier = promotionalOfferIdentifier
        self.attributes = attributes
    }
}

/// Product type in a receipt. The store may add other values.
public struct ReceiptProductType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let nonConsumable = ReceiptProductType(rawValue: 0)
    public static let consumable = ReceiptProductType(rawValue: 1)
    public static let nonRenewingSubscription = ReceiptProductType(rawValue: 2)
    public static let autoRenewableSubscription = ReceiptProductType(rawValue: 3)
}

/// Parser for dates in receipts: in the format of RFC 3339, or in Xcode's variant, a time zone without a colon.
enum ReceiptDate {
    /// Parses a date.
    ///
    /// - Returns: `nil` for another format, and for a date outside the years 1970 to 9999, because some calendars and
    ///   databases cannot represent it.
    static func date(_ text: UnsafeRawBufferPointer) -> Date? {
        var reader = Reader(text: text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T"), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2),
            let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        guard (1...12).contains(month), (1...length(of: month, in: year)).contains(day), hour < 24, minute < 60,
            second < 60
        else { return nil }
        let seconds = (days(year, month, day) * 24 + hour) * 3_600 + minute * 60 + second - offset
        guard (0...253_402_300_799).contains(seconds) else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(seconds) + fraction)
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the number of days from January 1, 1970 to a day of the Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years begin in March, so that the leap day is at the end.
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return 365 * year + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }

    private struct Reader {
        let text: UnsafeRawBufferPointer
        var index = 0

        init(text: UnsafeRawBufferPointer) { self.text = text }

        var isAtEnd: Bool { index == text.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard index < text.count, text[index] == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        private mutating func digit() -> Int? {
            guard index < text.count, (0x30...0x39).contains(text[index]) else { return nil }
            defer { index += 1 }
            return Int(text[index] - 0x30)
        }

        /// Reads a decimal number with a given number of digits.
        mutating func number(_ count: Int) -> Int? {
            var number = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        /// Reads the fraction of a second after a decimal point, with up to nine digits; 0 if there is no decimal
        /// point.
        mutating func fraction() -> TimeInterval? {
            guard skip(".") else { return 0 }
            var (number, count) = (0, 0)
            while let digit = digit() {
                count += 1
                guard count <= 9 else { return nil }
                number = number * 10 + digit
            }
            guard count > 0 else { return nil }
            return (0..<count).reduce(TimeInterval(number)) { fraction, _ in fraction / 10 }
        }

        /// Reads the time zone of a date, as the offset of the local time from UTC in seconds.
        mutating func offset() -> Int? {
            if skip("Z") { return 0 }
            let sign: Int
            if skip("+") {
                sign = 1
            } else if skip("-") {
                sign = -1
            } else {
                return nil
            }
            guard let hours = number(2) else { return nil }
            _ = skip(":")
            guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
            return sign * (hours * 3_600 + minutes * 60)
        }
    }
}

/// Encodings of a receipt that an app or server may receive.
enum ReceiptData {
    private static let sequence: UInt8 = 0x30
    private static let whitespace: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

    /// Returns the bytes of the PKCS#7 container: the data itself, or its decoded Base64. Whitespace in Base64 is
    /// ignored.
    ///
    /// - Throws: `malformed`, with the actual format of the data if it is known.
    static func container(in data: Data) throws(RejectionReason) -> [UInt8] {
        guard data.count <= AppReceipt.sizeLimit else {
            throw .malformed("the receipt has more than \(AppReceipt.sizeLimit) bytes")
        }
        if data.first == sequence { return Array(data) }
        if let other = otherForm(of: data) { throw other }
        let text = Data(data.filter { !whitespace.contains($0) })
        guard !text.isEmpty, let decoded = Data(base64Encoded: text), decoded.base64EncodedData() == text else {
            throw .malformed("the data is neither a PKCS#7 container nor base64 of one")
        }
        guard decoded.first == sequence else {
            throw otherForm(of: decoded) ?? .malformed("the data is base64, but not of a PKCS#7 container")
        }
        return Array(decoded)
    }

    /// Returns the rejection of data in another known format. Old-style property lists and JSON both begin with a
    /// brace.
    private static func otherForm(of data: Data) -> RejectionReason? {
        guard data.first(where: { !whitespace.contains($0) }) == UInt8(ascii: "{") else { return nil }
        func contains(_ text: String) -> Bool { data.range(of: Data(text.utf8)) != nil }
        let form =
            if contains("\"purchase-info\"") {
                "a transaction receipt from before iOS 7"
            } else if contains("\"Store\""), contains("\"Payload\"") {
                "Unity's JSON, which contains the store's data as Payload"
            } else {
                "JSON or a property list"
            }
        return .malformed("the data is \(form), not an app receipt")
    }
}
