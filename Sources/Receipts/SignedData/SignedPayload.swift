internal import Foundation

/// Content of a JWS that the store signs.
protocol SignedPayload: Decodable {
    /// Name of the payload type in messages, with its article.
    static var name: String { get }

    /// Apps and environments for which the payload was signed; all of them must match.
    var subjects: [SignedSubject] { get }
    /// Date at which the store signed the payload; `nil` if it does not contain it.
    var signatureDate: Date? { get }
    /// All dates in the payload.
    var dates: [Date] { get }
    /// `true` if no required value is empty or out of range.
    var isComplete: Bool { get }
}

/// App and environment for which data was signed.
struct SignedSubject {
    /// Bundle identifier of the app; `nil` if the data does not name it.
    var app: String?
    /// App's identifier in the App Store; `nil` if the data does not contain it.
    var appIdentifier: Int64?
    var environment: StoreEnvironment
}

extension KeyedDecodingContainer {
    /// Reads an informational value, on which no paid content depends.
    ///
    /// - Returns: `nil` also if the value has another type: a purchase is not rejected for that reason.
    func information<Value: Decodable>(_ key: Key) -> Value? {
        (try? decodeIfPresent(Value.self, forKey: key)) ?? nil
    }
}

extension JSONDecoder {
    /// Decoder for the store's dates, which are in milliseconds since 1970.
    static let storeDates: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        return decoder
    }()
}

/// Content that the store has signed, with the data that proves it.
public protocol SignedContent: Sendable {
    /// The compact JWS as it was received.
    var signedData: String { get }
}

extension SignedContent {
    /// All fields of the payload, known or not, read again from the signed data.
    ///
    /// - Throws: ``SignedDataError`` if the payload nests too deeply.
    public var fields: JSONValue {
        get throws(SignedDataError) { try JSONValue(payloadOf: signedData) }
    }
}
