package import Foundation
public import VitrineSupport

/// Verified data of any type that the store signs as JWS, with the data that proves it. The signature, certificate
/// chain, app and environment were checked, but not the rest of the payload: only
/// ``SignedDataVerifier/verify(transaction:)`` verifies purchases.
public struct SignedDocument: SignedContent, Hashable {
    /// Type of the data, recognized by the fields of the payload; `nil` if it is unknown.
    public let kind: SignedDocumentKind?
    /// Compact JWS of the document as it was received.
    public let signedData: String
}

/// Type of data that the store signs as JWS.
public enum SignedDocumentKind: String, Sendable, Hashable, CaseIterable {
    case transaction, renewal, appTransaction, notification
    /// Request of the store to the app's server, which is sent before the store shows a message to a customer who
    /// cancels a subscription.
    case realtimeRequest
}

/// Information that all signed payloads have in common: the type of the document, its apps and environments, and the
/// date of the signature.
struct DocumentPayload {
    let kind: SignedDocumentKind?
    let subjects: [SignedSubject]
    let signatureDate: Date?
}

extension DocumentPayload: SignedPayload {
    static let name = "data that the store signs"

    var isComplete: Bool { !subjects.isEmpty }

    var dates: [Date] { signatureDate.map { [$0] } ?? [] }

    fileprivate enum CodingKeys: String, CodingKey {
        case bundleId, appAppleId, environment, receiptType, signedDate, receiptCreationDate
        // Names of fields that distinguish the types of signed data.
        case notificationType, transactionId, autoRenewStatus, userLocale
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        kind = SignedDocumentKind.allCases.first { container.contains(CodingKeys.mark(of: $0)) }
        if kind == .notification {
            let payload = try NotificationPayload(from: decoder)
            subjects = payload.subjects
            signatureDate = payload.signedDate
        } else {
            let isAppTransaction = kind == .appTransaction
            subjects = [
                SignedSubject(
                    app: try container.decodeIfPresent(String.self, forKey: .bundleId),
                    appIdentifier: try container.decodeIfPresent(Int64.self, forKey: .appAppleId),
                    environment: try container.decode(
                        StoreEnvironment.self, forKey: isAppTransaction ? .receiptType : .environment))
            ]
            signatureDate = try container.decodeIfPresent(
                Date.self, forKey: isAppTransaction ? .receiptCreationDate : .signedDate)
        }
    }
}

extension DocumentPayload.CodingKeys {
    /// Returns the name of a field that only signed data of the given type has, so that the type is recognized by the
    /// field.
    fileprivate static func mark(of kind: SignedDocumentKind) -> Self {
        switch kind {
        case .transaction: .transactionId
        case .renewal: .autoRenewStatus
        case .appTransaction: .receiptType
        case .notification: .notificationType
        case .realtimeRequest: .userLocale
        }
    }
}

/// Content of a JWS that the store signs.
protocol SignedPayload: Decodable {
    /// Name of the payload's type in error messages, with an article, such as "a transaction".
    static var name: String { get }
    /// Description of what a payload lacks that is not complete.
    static var required: String { get }

    /// Apps and environments for which the payload was signed. All of them must match the verifier's.
    var subjects: [SignedSubject] { get }
    /// Signing date of the payload; `nil` if the payload does not contain it.
    var signatureDate: Date? { get }
    var dates: [Date] { get }
    /// `true` if no required value is empty or out of range.
    var isComplete: Bool { get }
}

extension SignedPayload {
    static var required: String { "an identifier or a quantity above zero" }
}

/// App and environment for which data was signed.
struct SignedSubject {
    /// Bundle identifier of the app; `nil` if the data does not contain it.
    var app: String?
    /// App's identifier in the App Store; `nil` if the data does not contain it.
    var appIdentifier: Int64?
    var environment: StoreEnvironment
}

extension KeyedDecodingContainer {
    /// Reads a value that only informs and does not affect paid content.
    ///
    /// - Returns: `nil` if the value is missing or has another type. A purchase is not rejected because of the type.
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

extension JSONEncoder {
    /// Encoder for data that a simulated store signs. A date that is not a whole number of milliseconds is rounded.
    package static let storeDates: JSONEncoder = {
        let encoder = JSONEncoder.sorted
        encoder.dateEncodingStrategy = .custom { date, encoder in
            guard let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded()) else {
                let context = EncodingError.Context(
                    codingPath: encoder.codingPath, debugDescription: "a date in the signed data is out of range")
                throw EncodingError.invalidValue(date, context)
            }
            var container = encoder.singleValueContainer()
            try container.encode(milliseconds)
        }
        return encoder
    }()
}

/// Content that the store has signed, with the data that proves it.
public protocol SignedContent: Sendable {
    /// Compact JWS of the content as it was received.
    var signedData: String { get }
}

extension SignedContent {
    /// All fields of the payload, known or unknown, read again from the signed data.
    ///
    /// - Throws: ``SignedDataError`` if the payload is nested too deeply.
    public var fields: JSONValue {
        get throws(SignedDataError) { try JSONValue(payloadOf: signedData) }
    }
}

/// Claims of a compact JWS, read without verification. They must only be displayed, and never unlock anything.
public struct SignedDataClaims: Sendable, Hashable {
    /// Algorithm in the header: `ES256` in all data that the store signs.
    public let algorithm: String
    /// Identifier of the signing key in the header: `Apple_Xcode_Key` in data that Xcode signs.
    public let keyIdentifier: String?
    /// Certificates in the header of the JWS. The first one is the signer's.
    public let certificates: [SignerCertificate]
    public let payload: JSONValue
    /// Type of the data, recognized by the fields of the payload; `nil` if it is unknown.
    public let kind: SignedDocumentKind?
    /// App for which the data was signed; `nil` if the data does not contain it.
    public let bundleIdentifier: String?
    /// App's identifier in the App Store; `nil` if the data does not contain it.
    public let appIdentifier: Int64?
    /// Environment that signed the data; `nil` if the data does not contain it.
    public let environment: StoreEnvironment?

    /// Reads the claims of a compact JWS without verifying its signature.
    ///
    /// - Throws: `malformed` if the data is not a compact JWS; `payload` if its payload is not JSON.
    public init(unverified signedData: String) throws(RejectionReason) {
        do throws(Rejection) {
            let jws = try CompactJWS(signedData)
            let header = try JWSHeader(segment: jws.header)
            algorithm = header.alg
            keyIdentifier = header.kid
            certificates = try header.certificates.map(SignerCertificate.init)
            payload = try Self.payload(jws.payload)
            let document = try? JSONDecoder.storeDates.decodeForeign(DocumentPayload.self, from: jws.payload)
            kind = document?.kind
            bundleIdentifier = document?.subjects.first?.app
            appIdentifier = document?.subjects.first?.appIdentifier
            environment = document?.subjects.first?.environment
        } catch {
            throw error.reasons.first ?? RejectionReason(code: .malformed, reason: "the data is not a compact JWS")
        }
    }

    private static func payload(_ bytes: Data) throws(Rejection) -> JSONValue {
        do {
            return try JSONValue(json: bytes)
        } catch {
            throw Rejection(.payload, "the payload is not JSON: \(error.reason)")
        }
    }
}
