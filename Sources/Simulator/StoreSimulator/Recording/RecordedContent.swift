internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineSupport

/// Content of a database column, which determines how a recording represents its values.
enum RecordedContent: Sendable {
    /// Integer that is recorded unchanged.
    case integer
    /// Date in milliseconds since 1970.
    case date
    /// Text that is recorded unchanged, such as the identifier of a product.
    case text
    /// Number of a transaction, recorded as its position among all transactions.
    case transaction
    /// Token of an account of the app, recorded as a pseudonym.
    case token
    /// Text that identifies persons or requests, recorded as a pseudonym.
    case pseudonym
    /// Subscription offer.
    case offer
    /// Report about the consumption of a purchase.
    case report
    /// Text that is not recorded, only its presence. The associated value replaces the text in a replay.
    case presence(of: String)
    /// Name of a customer or device. Only the default name is recorded. In a replay, other names consist of the
    /// associated value and the number of the row.
    case name(of: String)

    /// Maximum magnitude of integers. The limit ensures that their sums are integers too.
    private static let greatest = Int64(1) << 53

    /// Returns the form of a value in a recording; `nil` for `NULL`, and for a value that recordings do not contain.
    func recorded(_ value: DatabaseValue, _ pseudonyms: Pseudonyms) throws -> JSONValue? {
        switch (self, value.storage) {
        case (.integer, .int64(let number)), (.date, .int64(let number)): .integer(number)
        case (.transaction, .int64(let number)): .integer(pseudonyms.number(number))
        case (.text, .string(let text)), (.offer, .string(let text)): .string(text)
        case (.token, .string(let text)): .string(pseudonyms.token(text).uuidString)
        case (.pseudonym, .string(let text)): .string(pseudonyms.text(text))
        case (.report, .string(let text)): .object(try pseudonyms.report(ServerBody(Data(text.utf8))))
        case (.presence, .string): .bool(true)
        case (.name, .string(DeviceIdentity.defaultName)): .string(DeviceIdentity.defaultName)
        default: nil
        }
    }

    /// Returns the form of a recorded value in the store; `nil` for a value that is not valid in a recording.
    func stored(_ value: JSONValue, _ seed: StoreSeed) -> DatabaseValue? {
        switch (self, value) {
        case (.integer, .integer(let number)):
            (-Self.greatest...Self.greatest).contains(number) ? number.databaseValue : nil
        case (.date, .integer(let date)): RecordingLimits.dates.contains(date) ? date.databaseValue : nil
        case (.transaction, .integer(let place)):
            RecordingLimits.transactions.contains(place) ? seed.transaction(at: place).databaseValue : nil
        case (.text, .string(let text)), (.pseudonym, .string(let text)): text.databaseValue
        case (.token, .string(let text)): UUID(uuidString: text)?.uuidString.databaseValue
        case (.offer, .string(let text)): AppliedOffer(recorded: text)?.databaseValue
        case (.report, .object(let report)):
            (try? JSONEncoder.recording.encode(report)).map { String(decoding: $0, as: UTF8.self).databaseValue }
        case (.presence(let text), .bool(true)): text.databaseValue
        case (.name, .string(DeviceIdentity.defaultName)): DeviceIdentity.defaultName.databaseValue
        default: nil
        }
    }

    /// Returns the value of a column that a recorded row omits.
    func missing(in row: [String: JSONValue]) -> DatabaseValue {
        guard case .name(let what) = self, case .integer(let number) = row["id"] else { return .null }
        return Self.name(of: what, number).databaseValue
    }

    /// Returns the name of a replayed customer or device whose name was not recorded.
    static func name(of what: String, _ number: Int64) -> String { "\(what) \(number)" }
}

enum RecordingLimits {
    /// Dates from 1970 to the year 9999.
    static let dates: ClosedRange<Int64> = 0...253_402_300_799_999
    static let transactions: ClosedRange<Int64> = 1...1_000_000_000
    /// Maximum length of a line, in bytes.
    static let line = 64 * 1024
    /// Maximum size of a file, in bytes.
    static let file = 256 * 1024 * 1024
}

extension AppliedOffer {
    /// Decodes a subscription offer of a recording.
    ///
    /// - Returns: `nil` for an offer that no store can have.
    fileprivate init?(recorded text: String) {
        guard let offer = try? JSONDecoder().decodeForeign(AppliedOffer.self, from: Data(text.utf8)),
            (1...100).contains(offer.lengths), (0...100).contains(offer.remaining),
            (0...1_000_000_000_000).contains(offer.price)
        else { return nil }
        self = offer
    }
}
