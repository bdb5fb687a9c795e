internal import Foundation
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineSupport

/// Header of a recording: its first line.
struct RecordingHeader: Codable {
    static let format = "vitrine-recording"
    static let version = 1

    let format: String
    let version: Int
    /// UUID of the recording, by which the store recognizes the file of its recording.
    let id: UUID
    let bundleId: String
    /// Environment of the store when the recording began.
    let environment: StoreEnvironment
    /// Number of the app in the App Store; `nil` outside production.
    let appAppleId: Int64?
    /// Rate at which subscription periods passed when the recording began.
    let rate: TimeRate
    /// Date of the store's clock when the recording began, in milliseconds since 1970.
    let date: Int64
    /// Number of transactions that the store had numbered when the recording began.
    let transactions: Int64

    init(
        id: UUID, bundleIdentifier: String, environment: StoreEnvironment, appIdentifier: Int64?, rate: TimeRate,
        date: Int64, transactions: Int64
    ) {
        (format, version, self.id, bundleId) = (Self.format, Self.version, id, bundleIdentifier)
        (self.environment, appAppleId, self.rate) = (environment, appIdentifier, rate)
        (self.date, self.transactions) = (date, transactions)
    }

    /// Format and version, which the headers of all versions have.
    private struct Mark: Decodable {
        let format: String
        let version: Int
    }

    /// Decodes the first line of a recording.
    ///
    /// - Throws: ``StoreRecordingError``: `newerVersion`; `malformed` if the line is not a header.
    init(_ line: Data) throws(StoreRecordingError) {
        guard let mark = try? JSONDecoder().decodeForeign(Mark.self, from: line), mark.format == Self.format else {
            throw StoreRecordingError(.malformed, "the file does not begin as a recording of a store", line: 1)
        }
        guard mark.version == Self.version else {
            throw StoreRecordingError(
                .newerVersion, "the recording has version \(mark.version), and this tool reads \(Self.version)", line: 1
            )
        }
        do {
            self = try JSONDecoder().decodeForeign(Self.self, from: line)
        } catch {
            throw StoreRecordingError(.malformed, "the header of the recording is incomplete or invalid", line: 1)
        }
    }

    /// Returns the header if its values are in range.
    func checked() throws(StoreRecordingError) -> RecordingHeader {
        guard RecordingLimits.dates.contains(date), (0...RecordingLimits.transactions.upperBound).contains(transactions)
        else { throw StoreRecordingError(.malformed, "a value of the header is out of range", line: 1) }
        return self
    }
}

/// Line of a recording with a table row that the store had when the recording began.
struct RecordingRow: Codable {
    /// Name of the table.
    let row: String
    let values: [String: JSONValue]
}

struct RecordingAction: Codable {
    /// Number of the action, from 1.
    let number: Int64
    /// Date of the store's clock, in milliseconds since 1970.
    let date: Int64
    /// Environment of the process that performed the action; `nil` for the environment in the header.
    let environment: StoreEnvironment?
    let appAppleId: Int64?
    /// Number of transactions that the store had numbered when the action was recorded.
    let transactions: Int64
    let action: StoreAction

    init(_ recorded: RecordedAction, in header: RecordingHeader) throws {
        (number, date, transactions) = (recorded.number, recorded.date, recorded.transactions)
        let differs =
            recorded.environment != nil
            && (recorded.environment != header.environment || recorded.appIdentifier != header.appAppleId)
        (environment, appAppleId) = differs ? (recorded.environment, recorded.appIdentifier) : (nil, nil)
        action = try recorded.action
    }

    /// `true` if the values are in range.
    fileprivate var isPossible: Bool {
        guard RecordingLimits.dates.contains(date) else { return false }
        switch action {
        case .purchase(let order, _, _), .purchaseElsewhere(let order), .redeem(let order), .share(let order):
            return order.isPossible
        case .purchaseOutsideApp(let order, let date, _):
            return order.isPossible && date.map(RecordingLimits.dates.contains) ?? true
        case .originalPurchase(_, let app): return RecordingLimits.dates.contains(app.date)
        case .price(_, let price, _): return (1..<1_000_000_000_000).contains(price)
        default: return true
        }
    }
}

extension StoreAction.Order {
    fileprivate var isPossible: Bool { (1...10).contains(quantity) }
}

/// Line of a recording after its header.
enum RecordingEntry: Decodable {
    case row(RecordingRow)
    case action(RecordingAction)

    private enum CodingKeys: CodingKey {
        case row, action
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self =
            try container.contains(.row) ? .row(RecordingRow(from: decoder)) : .action(RecordingAction(from: decoder))
    }

    init(_ line: Data) throws(StoreRecordingError) {
        do {
            self = try JSONDecoder().decodeForeign(Self.self, from: line)
        } catch {
            throw StoreRecordingError(.malformed, "the line is neither a row nor an action: \(error.reasonInLine)")
        }
        if case .action(let action) = self, !action.isPossible {
            throw StoreRecordingError(
                .malformed, "a value of the action \(action.action.kind.rawValue) is out of range")
        }
    }
}

extension Error {
    /// Description of a decoding error, as part of a sentence.
    fileprivate var reasonInLine: String {
        guard let error = self as? DecodingError else { return "it cannot be read" }
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return "\(context.path) has a value of another type"
        case .keyNotFound(let key, _): return "\(key.stringValue.debugDescription) is missing"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty ? "it is not JSON" : "\(context.path) has an invalid value"
        @unknown default: return "it cannot be read"
        }
    }
}

extension DecodingError.Context {
    fileprivate var path: String { codingPath.map(\.stringValue).joined(separator: ".").debugDescription }
}
