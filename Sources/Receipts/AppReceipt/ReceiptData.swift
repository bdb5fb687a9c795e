internal import Foundation

/// The forms in which a receipt reaches an app or a server.
enum ReceiptData {
    private static let sequence: UInt8 = 0x30
    private static let whitespace: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

    /// The container's bytes: the data itself, or what it means as base64, in which spaces and line ends are left out.
    ///
    /// - Throws: `malformed`, which says what it is instead where that is known.
    static func container(in data: Data) throws(RejectionReason) -> [UInt8] {
        guard data.count <= AppReceipt.sizeLimit else {
            throw RejectionReason(code: .malformed, detail: "it has more than \(AppReceipt.sizeLimit) bytes")
        }
        if data.first == sequence { return Array(data) }
        if let other = otherForm(of: data) { throw other }
        let text = Data(data.filter { !whitespace.contains($0) })
        guard !text.isEmpty, let decoded = Data(base64Encoded: text), decoded.base64EncodedData() == text else {
            throw RejectionReason(code: .malformed, detail: "it is neither a PKCS#7 container nor one in base64")
        }
        guard decoded.first == sequence else {
            throw otherForm(of: decoded)
                ?? RejectionReason(code: .malformed, detail: "it is base64 of something that is no PKCS#7 container")
        }
        return Array(decoded)
    }

    /// Property lists in the old form and JSON both begin with a brace.
    private static func otherForm(of data: Data) -> RejectionReason? {
        guard data.first(where: { !whitespace.contains($0) }) == UInt8(ascii: "{") else { return nil }
        func contains(_ text: String) -> Bool { data.range(of: Data(text.utf8)) != nil }
        let form =
            if contains("\"purchase-info\"") {
                "a receipt of one transaction, as iOS had them before version 7"
            } else if contains("\"Store\""), contains("\"Payload\"") {
                "Unity's JSON, whose Payload is what the store sent"
            } else {
                "JSON or a property list"
            }
        return RejectionReason(code: .malformed, detail: "it is \(form), and not an app receipt")
    }
}
