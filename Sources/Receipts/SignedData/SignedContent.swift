internal import Foundation

/// Something that the store has signed, with the data that proves it.
public protocol SignedContent: Sendable {
    /// The compact JWS as it was received.
    var signedData: String { get }
}

extension SignedContent {
    /// Every field of the payload, known or not, read again from the signed data.
    ///
    /// - Throws: ``JSONValueError`` where the payload nests too deep.
    public var fields: JSONValue {
        get throws(JSONValueError) { try JSONValue(payloadOf: signedData) }
    }
}
