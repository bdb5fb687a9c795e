internal import Foundation

extension TransactionPayload {
    /// JSON of the payload (RFC 8259), with sorted keys, and dates in whole milliseconds since 1970.
    ///
    /// A simulated store writes it for each signature. `JSONEncoder.storeDates` writes the same bytes, but takes longer
    /// than the signature; a test compares both.
    ///
    /// - Throws: `EncodingError` for a date that is out of range.
    func json() throws -> Data {
        var object = JSONObject<CodingKeys>()
        object.add(.appAccountToken, appAccountToken?.uuidString.lowercased())
        object.add(.appTransactionID, appTransactionID)
        object.add(.billingPlanType, billingPlanType?.rawValue)
        object.add(.bundleIdentifier, bundleIdentifier)
        object.add(.currency, currency)
        object.add(.deviceVerification, deviceVerification)
        object.add(.deviceVerificationNonce, deviceVerificationNonce)
        object.add(.environment, environment.rawValue)
        try object.add(.expiresDate, expiresDate)
        object.add(.ownershipType, ownershipType?.rawValue)
        object.add(.isUpgraded, isUpgraded)
        object.add(.offerDiscountType, offerDiscountType?.rawValue)
        object.add(.offerIdentifier, offerIdentifier)
        object.add(.offerPeriod, offerPeriod)
        object.add(.offerType, offerType?.rawValue)
        try object.add(.originalPurchaseDate, originalPurchaseDate)
        object.add(.originalTransactionID, originalTransactionID)
        object.add(.price, price)
        object.add(.productIdentifier, productIdentifier)
        try object.add(.purchaseDate, purchaseDate)
        object.add(.quantity, quantity)
        try object.add(.revocationDate, revocationDate)
        object.add(.revocationPercentage, revocationPercentage)
        object.add(.revocationReason, revocationReason?.rawValue)
        object.add(.revocationType, revocationType?.rawValue)
        try object.add(.signedDate, signedDate)
        object.add(.storefront, storefront)
        object.add(.storefrontID, storefrontID)
        object.add(.subscriptionGroupIdentifier, subscriptionGroupIdentifier)
        object.add(.transactionID, transactionID)
        object.add(.reason, reason?.rawValue)
        object.add(.type, type.rawValue)
        object.add(.webOrderLineItemID, webOrderLineItemID)
        return object.data
    }
}

/// Writer of a JSON object without nested values. A value that is `nil` is omitted.
private struct JSONObject<Key: CodingKey> {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(1_024) }

    var data: Data { Data(bytes.isEmpty ? Array("{}".utf8) : bytes + [UInt8(ascii: "}")]) }

    mutating func add(_ key: Key, _ text: String?) {
        guard let text else { return }
        begin(key)
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                escape(byte)
            } else {
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func add(_ key: Key, _ integer: Int?) {
        guard let integer else { return }
        begin(key)
        bytes += "\(integer)".utf8
    }

    mutating func add(_ key: Key, _ flag: Bool?) {
        guard let flag else { return }
        begin(key)
        bytes += (flag ? "true" : "false").utf8
    }

    mutating func add(_ key: Key, _ date: Date?) throws {
        guard let date else { return }
        begin(key)
        bytes += "\(try date.signedMilliseconds(at: [key]))".utf8
    }

    private mutating func begin(_ key: Key) {
        bytes.append(bytes.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        bytes.append(UInt8(ascii: "\""))
        bytes += key.stringValue.utf8
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0..<0x20: bytes += "u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))".utf8
        default: bytes.append(byte)
        }
    }
}
