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
    /// Indices of the attributes with known fields, and -1 for an absent field. The first element belongs to the first
    /// type number of ``FieldNumber/range``, which has at most 32 numbers. A vector is used because an array for each
    /// purchase would have to be allocated.
    private var indices = SIMD32<Int32>(repeating: -1)

    /// Maximum number of bytes of a string. All identifiers in the store are shorter.
    private static var stringLimit: Int { 1_024 }

    /// Reads a set of attributes.
    ///
    /// - Throws: `payload` if the bytes are not a set of attributes, or contain a field twice; `malformed` if there are
    ///   more nodes than in any receipt.
    init(_ data: Data) throws(RejectionReason) {
        attributes = try ReceiptAttribute.attributes(in: data).get()
        for (index, attribute) in attributes.enumerated() {
            guard let field = Field(rawValue: attribute.type) else { continue }
            let place = Self.place(of: field)
            guard indices[place] < 0 else { throw .payload("the receipt attribute \(field) occurs twice") }
            // The limit of the number of nodes is far below the greatest index.
            indices[place] = Int32(index)
        }
    }

    private static func place(of field: Field) -> Int { field.rawValue - Field.range.lowerBound }

    // MARK: Values, `nil` if the attribute is absent

    func bytes(_ field: Field) -> Data? { attribute(field)?.value }

    private func attribute(_ field: Field) -> ReceiptAttribute? {
        let index = Int(indices[Self.place(of: field)])
        return index < 0 ? nil : attributes[index]
    }

    func integer(_ field: Field) throws(RejectionReason) -> Int64? {
        guard let content = attribute(field)?.content else { return nil }
        let integer = content.withUnsafeBytes { bytes in
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
        guard let content = attribute(field)?.content else { return nil }
        guard let (string, isPrintable) = content.withText(String.checked) else {
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
        guard let content = attribute(field)?.content else { return nil }
        if let date = content.withText(ReceiptDate.date) { return date }
        guard let string = try string(field) else { return nil }
        throw .payload("the receipt attribute \(field) is not a date from 1970 to 9999: \(string.prefix(40))")
    }

    /// Returns the value of a required attribute.
    ///
    /// - Throws: `payload` if the attribute is missing or empty.
    func required<Value>(_ field: Field, _ value: Value?) throws(RejectionReason) -> Value {
        guard let value else { throw .payload("the receipt attribute \(field) is missing or empty") }
        return value
    }
}

extension ReceiptAttribute {
    /// Decodes a set of attributes from ASN.1.
    fileprivate static func attributes(in data: Data) -> Result<[ReceiptAttribute], RejectionReason> {
        data.withUnsafeBytes { bytes in
            guard BER.hasFewNodes(bytes) else { return .failure(.tooManyNodes) }
            var reader = ReceiptReader(bytes)
            guard let attributes = reader.attributes(of: data), reader.isAtEnd else {
                return .failure(.payload("the content of the receipt is not a set of attributes"))
            }
            return .success(attributes)
        }
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
