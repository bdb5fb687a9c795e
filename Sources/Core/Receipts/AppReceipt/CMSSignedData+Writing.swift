internal import Foundation
internal import SwiftASN1
internal import X509

extension CMSSignedData {
    /// Returns the PKCS#7 container of an app receipt, in DER and in the format of the App Store.
    ///
    /// - Parameters:
    ///   - certificates: Certificates. The first one is the signer's.
    ///   - signature: RSA signature with SHA-256 of the content itself.
    static func encode(content: [UInt8], certificates: [Certificate], signature: Data) throws -> Data {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(ASN1ObjectIdentifier.signedData)
            try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                try coder.appendConstructedNode(identifier: .sequence) { coder in
                    try coder.serialize(1)
                    try coder.appendConstructedNode(identifier: .set) { try $0.algorithm(.sha256) }
                    try coder.content(content)
                    try coder.appendConstructedNode(identifier: .certificates) { coder in
                        for certificate in certificates { try coder.serialize(certificate) }
                    }
                    try coder.appendConstructedNode(identifier: .set) { coder in
                        try coder.signer(certificates[0], signature)
                    }
                }
            }
        }
        return Data(serializer.serializedBytes)
    }
}

extension DER.Serializer {
    fileprivate mutating func content(_ content: [UInt8]) throws {
        try appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(ASN1ObjectIdentifier.data)
            try coder.serialize(explicitlyTaggedWithTagNumber: 0, tagClass: .contextSpecific) { coder in
                try coder.serialize(ASN1OctetString(contentBytes: content[...]))
            }
        }
    }

    fileprivate mutating func signer(_ certificate: Certificate, _ signature: Data) throws {
        try appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(1)
            try coder.appendConstructedNode(identifier: .sequence) { coder in
                try coder.serialize(certificate.issuer)
                try coder.serialize(certificate.serialNumber.bytes)
            }
            try coder.algorithm(.sha256)
            try coder.algorithm(.rsaEncryption)
            try coder.serialize(ASN1OctetString(contentBytes: ArraySlice(signature)))
        }
    }

    fileprivate mutating func algorithm(_ identifier: ASN1ObjectIdentifier) throws {
        try appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(identifier)
            try coder.serialize(ASN1Null())
        }
    }
}

extension ASN1Identifier {
    fileprivate static let certificates = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
}

extension AppReceipt {
    /// Returns the receipt as DER, for the content of a container: all fields, and those ``attributes`` that do not
    /// repeat a field.
    ///
    /// Dates are written to the second.
    func payload() throws -> [UInt8] {
        var writer = AttributeWriter<ReceiptField>()
        try writer.add(.type, type.rawValue)
        try writer.add(.appIdentifier, appIdentifier)
        try writer.add(.bundleIdentifier, bundleIdentifier)
        try writer.add(.applicationVersion, applicationVersion)
        // The App Store uses version 2 only for this attribute.
        writer.add(.opaqueValue, version: 2, bytes: opaqueValue)
        writer.add(.deviceHash, bytes: deviceHash)
        try writer.add(.ageRating, ageRating)
        try writer.add(.creationDate, creationDate)
        try writer.add(.originalPurchaseDate, originalPurchaseDate)
        try writer.add(.originalApplicationVersion, originalApplicationVersion)
        try writer.add(.expirationDate, expirationDate)
        for purchase in purchases {
            writer.attributes.append(
                ReceiptAttribute(type: ReceiptField.purchase, value: Data(try purchase.payload())))
        }
        return try writer.set(beside: attributes.filter { $0.type != ReceiptField.purchase })
    }

    /// Returns the encoded value of the bundle identifier attribute, which is an input of the device hash.
    static func encodedBundleIdentifier(_ identifier: String) throws -> Data {
        Data(try der(ASN1UTF8String(identifier)))
    }
}

extension ReceiptPurchase {
    fileprivate func payload() throws -> [UInt8] {
        var writer = AttributeWriter<PurchaseField>()
        try writer.add(.quantity, Int64(quantity))
        try writer.add(.productIdentifier, productIdentifier)
        try writer.add(.transactionID, transactionID)
        try writer.add(.originalTransactionID, originalTransactionID)
        try writer.add(.purchaseDate, purchaseDate)
        try writer.add(.originalPurchaseDate, originalPurchaseDate)
        try writer.add(.productType, productType.map { Int64($0.rawValue) })
        try writer.add(.expirationDate, expirationDate)
        try writer.add(.webOrderLineItemID, webOrderLineItemID)
        try writer.add(.cancellationDate, cancellationDate)
        try writer.add(.isTrialPeriod, isTrialPeriod.map { $0 ? 1 : 0 })
        try writer.add(.isIntroductoryOfferPeriod, isIntroductoryOfferPeriod.map { $0 ? 1 : 0 })
        try writer.add(.promotionalOfferIdentifier, promotionalOfferIdentifier)
        return try writer.set(beside: attributes)
    }
}

/// Writer that collects attributes and omits `nil` values.
private struct AttributeWriter<Field: RawRepresentable<Int>> {
    var attributes: [ReceiptAttribute] = []

    mutating func add(_ field: Field, _ text: String?) throws {
        guard let text else { return }
        add(field, bytes: Data(try der(ASN1UTF8String(text))))
    }

    mutating func add(_ field: Field, _ number: Int64?) throws {
        guard let number else { return }
        add(field, bytes: Data(try der(number)))
    }

    mutating func add(_ field: Field, _ date: Date?) throws {
        guard let date else { return }
        add(field, bytes: Data(try der(ASN1IA5String(date.inISO8601))))
    }

    mutating func add(_ field: Field, version: Int = 1, bytes: Data) {
        attributes.append(ReceiptAttribute(type: field.rawValue, version: version, value: bytes))
    }

    /// Returns all attributes as an ASN.1 `SET OF`, in the order that DER requires. It includes those attributes in
    /// `others` that are not fields of the receipt.
    func set(beside others: [ReceiptAttribute]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        let all = attributes + others.filter { Field(rawValue: $0.type) == nil }
        try serializer.serializeSetOf(all.map(EncodedAttribute.init))
        return serializer.serializedBytes
    }
}

private struct EncodedAttribute: DERSerializable {
    let attribute: ReceiptAttribute

    func serialize(into coder: inout DER.Serializer) throws {
        try coder.appendConstructedNode(identifier: .sequence) { coder in
            try coder.serialize(attribute.type)
            try coder.serialize(attribute.version)
            try coder.serialize(ASN1OctetString(contentBytes: ArraySlice(attribute.value)))
        }
    }
}

private func der(_ value: some DERSerializable) throws -> [UInt8] {
    var serializer = DER.Serializer()
    try serializer.serialize(value)
    return serializer.serializedBytes
}
