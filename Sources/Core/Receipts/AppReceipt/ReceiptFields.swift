internal import Foundation
internal import SwiftASN1
internal import VitrineSupport

/// Type numbers of receipt attributes that are represented by properties.
protocol FieldNumber: RawRepresentable<Int> {
    /// Range that contains the type numbers of all cases.
    static var range: ClosedRange<Int> { get }
}

/// Type numbers of the receipt attributes that are properties of ``AppReceipt``.
enum ReceiptField: Int, FieldNumber {
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

    /// Type number of the attribute that contains a purchase. It may occur several times in a receipt.
    static let purchase = 17

    static var range: ClosedRange<Int> { 0...21 }
}

/// Type numbers of the purchase attributes that are properties of ``ReceiptPurchase``.
enum PurchaseField: Int, FieldNumber {
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

    static var range: ClosedRange<Int> { 1701...1721 }
}

/// Attributes of a receipt, or of a purchase in a receipt, with access to the values of known fields.
///
/// A field must occur at most once, because a receipt with two values is ambiguous. Unknown attributes may be repeated.
struct ReceiptFields<Field: FieldNumber> {
    let attributes: [ReceiptAttribute]
    /// Indices of the attributes with known fields. The first element belongs to the first type number of
    /// ``FieldNumber/range``.
    private var indices = [Int?](repeating: nil, count: Field.range.count)

    /// Maximum number of bytes of a string. All identifiers in the store are shorter.
    private static var stringLimit: Int { 1_024 }

    /// Reads a set of attributes.
    ///
    /// - Throws: `payload` if the bytes are not a set of attributes, or contain a field twice; `malformed` if there are
    ///   more nodes than in any receipt.
    init(_ bytes: some ContiguousBytes) throws(RejectionReason) {
        attributes = try bytes.withUnsafeBytes(ReceiptAttribute.attributes).get()
        for (index, attribute) in attributes.enumerated() {
            guard let field = Field(rawValue: attribute.type) else { continue }
            let place = Self.place(of: field)
            guard indices[place] == nil else { throw .payload("the receipt attribute \(field) occurs twice") }
            indices[place] = index
        }
    }

    private static func place(of field: Field) -> Int { field.rawValue - Field.range.lowerBound }

    // MARK: Values, `nil` if the attribute is absent

    func bytes(_ field: Field) throws(RejectionReason) -> Data? {
        indices[Self.place(of: field)].map { attributes[$0].value }
    }

    func integer(_ field: Field) throws(RejectionReason) -> Int64? {
        guard let value = try bytes(field) else { return nil }
        let integer = value.withUnsafeBytes { bytes in
            var reader = ReceiptReader(bytes)
            guard let integer = reader.integer(Int64.self), reader.isAtEnd else { return Int64?.none }
            return integer
        }
        guard let integer else { throw .payload("the receipt attribute \(field) is not an integer") }
        return integer
    }

    func boolean(_ field: Field) throws(RejectionReason) -> Bool? {
        try integer(field).map { $0 != 0 }
    }

    /// Reads an attribute with a string.
    ///
    /// - Returns: `nil` if the attribute is missing or empty.
    func string(_ field: Field) throws(RejectionReason) -> String? {
        guard let value = try bytes(field) else { return nil }
        guard let (string, isPrintable) = value.withText(String.checked) else {
            throw .payload("the receipt attribute \(field) is not a string")
        }
        guard string.utf8.count <= Self.stringLimit else {
            throw .payload("the receipt attribute \(field) has more than \(Self.stringLimit) bytes")
        }
        guard isPrintable || !string.unicodeScalars.contains(where: \.isControl) else {
            throw .payload("the receipt attribute \(field) contains a control character")
        }
        return string.isEmpty ? nil : string
    }

    /// Reads an attribute with a date.
    ///
    /// - Returns: `nil` if the attribute is missing or empty.
    func date(_ field: Field) throws(RejectionReason) -> Date? {
        guard let value = try bytes(field) else { return nil }
        if let date = value.withText(ReceiptDate.date) { return date }
        guard let string = try string(field) else { return nil }
        throw .payload("the receipt attribute \(field) is not a date from 1970 to 9999: \(string.prefix(40))")
    }

    /// Returns the value of a required attribute.
    ///
    /// - Throws: `payload` if the attribute is missing or empty.
    func required<Value>(
        _ field: Field, _ read: (Field) throws(RejectionReason) -> Value?
    ) throws(RejectionReason) -> Value {
        guard let value = try read(field) else { throw .payload("the receipt attribute \(field) is missing or empty") }
        return value
    }
}

extension ReceiptAttribute {
    /// Decodes a set of attributes from ASN.1.
    fileprivate static func attributes(
        _ bytes: UnsafeRawBufferPointer
    ) -> Result<[ReceiptAttribute], RejectionReason> {
        guard BER.hasFewNodes(bytes) else { return .failure(.tooManyNodes) }
        var reader = ReceiptReader(bytes)
        guard let attributes = reader.attributes(), reader.isAtEnd else {
            return .failure(.payload("the content of the receipt is not a set of attributes"))
        }
        return .success(attributes)
    }
}

extension Data {
    /// Calls a function with the bytes of the string in the attribute value.
    ///
    /// - Returns: `nil` if the value is not a string, or the function returns `nil`.
    fileprivate func withText<Value>(_ read: (UnsafeRawBufferPointer) -> Value?) -> Value? {
        withUnsafeBytes { bytes in
            var reader = ReceiptReader(bytes)
            guard let text = reader.string(), reader.isAtEnd else { return nil }
            return read(text)
        }
    }
}

extension String {
    /// Returns the string with the given bytes, and `true` if it is printable ASCII, like identifiers and versions.
    /// Printable ASCII is checked first, because it is always valid and faster to check than characters.
    fileprivate static func checked(_ bytes: UnsafeRawBufferPointer) -> (String, isPrintable: Bool)? {
        guard !bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
            return (String(decoding: bytes, as: UTF8.self), true)
        }
        return String(validUTF8: bytes).map { ($0, false) }
    }
}

extension RejectionReason {
    static func payload(_ detail: String) -> RejectionReason { RejectionReason(.payload, detail) }
}
