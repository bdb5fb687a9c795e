internal import Foundation

/// Formats in which an app or a server receives a receipt.
enum ReceiptData {
    private static let sequence: UInt8 = 0x30
    private static let whitespace: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

    /// Returns the bytes of the container: the data itself, or the decoded base64, in which whitespace is ignored.
    ///
    /// - Throws: `malformed`, with the actual format of the data if it is known.
    static func container(in data: Data) throws(RejectionReason) -> [UInt8] {
        guard data.count <= AppReceipt.sizeLimit else {
            throw RejectionReason(code: .malformed, reason: "the receipt has more than \(AppReceipt.sizeLimit) bytes")
        }
        if data.first == sequence { return Array(data) }
        if let other = otherForm(of: data) { throw other }
        let text = Data(data.filter { !whitespace.contains($0) })
        guard !text.isEmpty, let decoded = Data(base64Encoded: text), decoded.base64EncodedData() == text else {
            throw RejectionReason(code: .malformed, reason: "the data is neither a PKCS#7 container nor base64 of one")
        }
        guard decoded.first == sequence else {
            throw otherForm(of: decoded)
                ?? RejectionReason(code: .malformed, reason: "the data is base64, but not of a PKCS#7 container")
        }
        return Array(decoded)
    }

    /// Returns the rejection of data in another known format. Property lists in the old format and JSON both begin with
    /// a brace.
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
        return RejectionReason(code: .malformed, reason: "the data is \(form), not an app receipt")
    }
}
