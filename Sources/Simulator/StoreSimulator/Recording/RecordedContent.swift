internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineSupport

/// Content of a column of a store, which determines how a recording contains it.
enum RecordedContent: Sendable {
    /// Integer that is recorded as it is.
    case integer
    /// Date in milliseconds since 1970.
    case date
    /// Text that is recorded as it is, such as the identifier of a product.
    case text
    /// Number of a transaction, recorded as its place among all.
    case transaction
    /// Token of one of the app's accounts.
    case token
    /// Text that identifies persons or requests.
    case pseudonym
    /// Subscription offer.
    case offer
    /// Report about the consumption of a purchase.
    case report
    /// Text of which a recording only says that there is one, and what stands for it.
    case presence(of: String)
    /// Name of a customer or device: recorded if it is the one of those who are not named, or else made from the number
    /// of the row.
    case name(of: String)

    /// Integers have at most this magnitude, so that sums of them are integers too.
    private static let greatest = Int64(1) << 53

    /// Returns a value as a recording contains it; `nil` for `NULL`, and for a value that is left out.
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

    /// Returns a value of a recording as the store contains it; `nil` for a value that no recording has.
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

    /// Returns the value of a column that a row of a recording leaves out.
    func missing(in row: [String: JSONValue]) -> DatabaseValue {
        guard case .name(let what) = self, case .integer(let number) = row["id"] else { return .null }
        return Self.name(of: what, number).databaseValue
    }

    /// Returns the name that a customer or device of a recording gets in the store that replays it.
    static func name(of what: String, _ number: Int64) -> String { "\(what) \(number)" }
}

/// Limits of the values in a recording.
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
    /// Reads a subscription offer of a recording.
    ///
    /// - Returns: `nil` for an offer that no store has.
    fileprivate init?(recorded text: String) {
        guard let offer = try? JSONDecoder().decodeForeign(AppliedOffer.self, from: Data(text.utf8)),
            (1...100).contains(offer.lengths), (0...100).contains(offer.remaining),
            (0...1_000_000_000_000).contains(offer.price)
        else { return nil }
        self = offer
    }
}
