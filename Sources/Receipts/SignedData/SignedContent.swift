internal import Foundation

/// Content that the store has signed, with the data that proves it.
public protocol SignedContent: Sendable {
    /// The compact JWS as it was received.
    var signedData: String { get }
}

extension SignedContent {
    /// All fields of the payload, known or not, read again from the signed data.
    ///
    /// - Throws: ``JSONValueError`` if the payload nests too deeply.
    public var fields: JSONValue {
        get throws(JSONValueError) { try JSONValue(payloadOf: signedData) }
    }
}
