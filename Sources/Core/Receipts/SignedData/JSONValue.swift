public import Foundation
public import VitrineSupport

/// JSON value (RFC 8259).
public enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Number that is not a 64-bit integer.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Parses a JSON text. If an object contains a name twice, the first value is used.
    ///
    /// - Throws: ``SignedDataError`` if the text is not JSON, nests deeper than 64 levels, or contains a number that
    ///   does not fit into a `Double`.
    public init(json: Data) throws(SignedDataError) {
        do {
            self = try JSONDecoder().decodeForeign(JSONValue.self, from: json)
        } catch {
            throw SignedDataError(code: .json, reason: error.inOneLine)
        }
    }

    init(payloadOf signedData: String) throws(SignedDataError) {
        let payload: Data
        do throws(Rejection) {
            payload = try CompactJWS(signedData).payload
        } catch {
            throw SignedDataError(code: .json, reason: error.reasons.map(\.reason).joined(separator: "; "))
        }
        try self.init(json: payload)
    }

    /// Value for a name in a JSON object; `nil` if the object does not contain the name, or this value is not an
    /// object.
    public subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
}

extension JSONValue: Decodable {
    private static let depthLimit = 64

    public init(from decoder: any Decoder) throws {
        // The depth is limited, because each level uses stack space, and a thread may have little.
        guard decoder.codingPath.count < Self.depthLimit else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [], debugDescription: "the JSON nests deeper than \(Self.depthLimit) levels"))
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if var elements = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !elements.isAtEnd { values.append(try elements.decode(JSONValue.self)) }
            self = .array(values)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }
}

/// Error thrown when signed data, or a key or certificate for it, cannot be read or created.
public typealias SignedDataError = CodedError<SignedDataErrorCode>

/// Category of ``SignedDataError``.
public enum SignedDataErrorCode: String, ErrorCode {
    /// The text is not a certificate in PEM.
    case certificate
    /// The text is not a P-256 key in PEM, or the key cannot sign.
    case key
    /// A field of a promotional offer contains the field separator, or the date of an offer request is out of range.
    case offer
    /// The text is not JSON, or exceeds a limit of ``JSONValue``.
    case json
    /// The date or the lifetime of a token for the App Store Server API is out of range.
    case token

    public var advice: String? {
        switch self {
        case .certificate: "Use a certificate in PEM, which begins with BEGIN CERTIFICATE."
        case .key: "Use a P-256 key in PEM, as App Store Connect provides it."
        case .offer: "Correct the fields of the promotional offer, or the date of the offer request."
        case .json: "Request the data from the store again, or read it with a version of Vitrine that knows its format."
        case .token: "Correct the date or the lifetime of the token."
        }
    }
}

extension Error {
    /// Description of the error, truncated for error messages.
    var inOneLine: String {
        guard let error = self as? DecodingError else { return String("\(self)".prefix(200)) }
        let (field, text) = error.fault
        if case .dataCorrupted(let context) = error {
            return String(((field.isEmpty ? "" : "\(field): ") + context.debugDescription).prefix(200))
        }
        return String((field.isEmpty ? "the document \(text)" : "the field \(field) \(text)").prefix(200))
    }
}

extension JSONValue: Encodable {
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}
