internal import Foundation
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords
internal import VitrineEntitlements

// JSON bodies of the operators' requests and responses.

/// String of a request's body with 1 to 255 bytes and no null byte.
@propertyWrapper
struct ShortText: Decodable, Sendable {
    private static let longest = 255

    let wrappedValue: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = try container.decode(String.self)
        guard (1...Self.longest).contains(wrappedValue.utf8.count), !wrappedValue.utf8.contains(0) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "must have from 1 to \(Self.longest) bytes")
        }
    }
}

struct GrantBody: ReceivedBody, Decodable {
    /// Latest end of a grant: the end of the year 9999, in milliseconds since 1970.
    static let latest: Int64 = 253_402_300_799_999

    @ShortText var product: String
    @ShortText var token: String
    @ShortText var reason: String
    /// End of the grant in milliseconds since 1970; `nil` for a grant without end.
    let until: Int64?

    var end: Date? {
        get throws(ErrorResponse) {
            guard let until else { return nil }
            guard (0...Self.latest).contains(until) else {
                throw .invalid("until must be a date in milliseconds since 1970.", field: "until")
            }
            return Date(timeIntervalSince1970: Double(until) / 1_000)
        }
    }
}

struct RevocationBody: ReceivedBody, Decodable {
    @ShortText var product: String
    @ShortText var token: String
    @ShortText var reason: String
}

struct DepositBody: ReceivedBody, Decodable {
    /// Maximum number of units that an operator can add in one request.
    static let most = 1_000_000_000

    @ShortText var wallet: String
    let amount: Int
    @ShortText var token: String
    @ShortText var reason: String
}

struct RemovalBody: ReceivedBody, Decodable {
    @ShortText var device: String
    @ShortText var token: String
    @ShortText var reason: String
}

struct TransferBody: ReceivedBody, Decodable {
    struct Identity: Decodable, Sendable {
        @ShortText var kind: String
        @ShortText var value: String
    }

    /// Identifier of the receiving customer; `nil` for a new one.
    let to: String?
    let identities: [Identity]?
    let devices: [String]?
    @ShortText var token: String
    @ShortText var reason: String

    var parts: TransferredParts {
        TransferredParts(
            identities: (identities ?? []).map { CustomerDetail.Identity(kind: $0.kind, value: $0.value) },
            devices: devices ?? [])
    }
}

struct ErasureBody: ReceivedBody, Decodable {
    @ShortText var token: String
    @ShortText var reason: String
}

extension TransferResult: SentBody {}

struct OperatorReply: SentBody, Encodable {
    let name: String
    let role: OperatorRole
    let apps: [String]
}

struct CustomersReply: SentBody, Encodable {
    let customers: [CustomerSummary]
}

extension CustomerDetail: SentBody {}

struct FactsReply: SentBody, Encodable {
    let facts: [EntryFields]
    /// Titles of the products of the facts, by product identifier.
    let titles: [String: String]
}

/// Explanation of why a customer owns a product or not.
struct ReasonsReply: SentBody, Encodable {
    let lines: [String]
}

struct NotificationsReply: SentBody, Encodable {
    let notifications: [NotificationRecord]
}
