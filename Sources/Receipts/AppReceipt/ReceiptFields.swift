internal import FileSystem
internal import Foundation
internal import SwiftASN1

/// Attributes of an app receipt that ``AppReceipt`` has as fields, by their type numbers.
enum ReceiptField: Int {
    case type = 0
    case appIdentifier = 1
    case bundleIdentifier = 2
    case applicationVersion = 3
    case opaqueValue = 4
    case deviceHash = 5
    case ageRating = 10
    case creationDate = 12
    case originalPurchaseDate = 18
    case originalApplicationVersion = 19
    case expirationDate = 21

    /// Type number of the attribute that a receipt contains for each purchase.
    static let purchase = 17
}

/// Attributes of a purchase in a receipt that ``ReceiptPurchase`` has as fields, by their type numbers.
enum PurchaseField: Int {
    case quantity = 1701
    case productIdentifier = 1702
    case transactionID = 1703
    case purchaseDate = 1704
    case originalTransactionID = 1705
    case originalPurchaseDate = 1706
    case productType = 1707
    case expirationDate = 1708
    case webOrderLineItemID = 1711
    case cancellationDate = 1712
    case isTrialPeriod = 1713
    case isIntroductoryOfferPeriod = 1719
    case promotionalOfferIdentifier = 1721
}

/// Set of attributes of a receipt or of a purchase in it, and the values of those that become fields.
///
/// A field must occur at most once, because a receipt with two values is ambiguous. Unknown attributes may repeat.
struct ReceiptFields<Field: RawRepresentable<Int> & Hashable> {
    let attributes: [ReceiptAttribute]
    private var values: [Field: Data] = [:]

    /// Maximum number of bytes of a string; all identifiers that a store allows are shorter.
    private static var stringLimit: Int { 1_024 }

    /// Reads a set of attributes.
    ///
    /// - Throws: `payload` if the bytes are not a set of attributes, or contain one of the fields twice.
    init(_ bytes: ArraySlice<UInt8>) throws(RejectionReason) {
        do {
            attributes = try BER.set(BER.parseBounded(bytes), of: ReceiptAttribute.init)
        } catch let reason as RejectionReason {
            throw reason
        } catch {
            throw .payload("the content of the receipt is not a set of attributes")
        }
        for attribute in attributes {
            guard let field = Field(rawValue: attribute.type) else { continue }
            guard values.updateValue(attribute.value, forKey: field) == nil else {
                throw .payload("the receipt attribute \(field) occurs twice")
            }
        }
    }

    // MARK: Values, `nil` if the attribute is absent

    func bytes(_ field: Field) throws(RejectionReason) -> Data? { values[field] }

    func integer(_ field: Field) throws(RejectionReason) -> Int64? {
        guard let value = values[field] else { return nil }
        guard let node = try? BER.parseBounded(ArraySlice(value)), let integer = try? Int64(berEncoded: node) else {
            throw .payload("the receipt attribute \(field) is not an integer")
        }
        return integer
    }

    func boolean(_ field: Field) throws(RejectionReason) -> Bool? {
        try integer(field).map { $0 != 0 }
    }

    /// Reads the string of an attribute.
    ///
    /// - Returns: `nil` if the attribute is missing, and for an empty string, which means no value.
    func string(_ field: Field) throws(RejectionReason) -> String? {
        guard let value = values[field] else { return nil }
        guard let node = try? BER.parseBounded(ArraySlice(value)), [.utf8String, .ia5String].contains(node.identifier),
            case .primitive(let bytes) = node.content, let string = String(validating: bytes, as: UTF8.self)
        else { throw .payload("the receipt attribute \(field) is not a string") }
        guard bytes.count <= Self.stringLimit else {
            throw .payload("the receipt attribute \(field) has more than \(Self.stringLimit) bytes")
        }
        guard !string.unicodeScalars.contains(where: \.isControl) else {
            throw .payload("the receipt attribute \(field) contains a control character")
        }
        return string.isEmpty ? nil : string
    }

    /// Reads the date of an attribute.
    ///
    /// - Returns: `nil` if the attribute is missing, and for an empty string, which receipts contain in place of a
    ///   missing date.
    func date(_ field: Field) throws(RejectionReason) -> Date? {
        guard let string = try string(field) else { return nil }
        guard let date = ReceiptDate.date(string) else {
            throw .payload("the receipt attribute \(field) is not a date from 1970 to 9999: \(string.prefix(40))")
        }
        return date
    }

    /// Returns the value of a required attribute.
    ///
    /// - Throws: `payload` if the attribute is absent or empty.
    func required<Value>(
        _ field: Field, _ read: (Field) throws(RejectionReason) -> Value?
    ) throws(RejectionReason) -> Value {
        guard let value = try read(field) else { throw .payload("the receipt attribute \(field) is missing or empty") }
        return value
    }
}

extension ReceiptAttribute {
    fileprivate init(_ node: ASN1Node) throws {
        self = try BER.sequence(node, identifier: .sequence) { nodes in
            ReceiptAttribute(
                type: try Int(berEncoded: &nodes), version: try Int(berEncoded: &nodes),
                value: Data(try ASN1OctetString(berEncoded: &nodes).bytes))
        }
    }
}

extension RejectionReason {
    static func payload(_ detail: String) -> RejectionReason { RejectionReason(code: .payload, reason: detail) }
}
