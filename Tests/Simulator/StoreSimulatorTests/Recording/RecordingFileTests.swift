import Foundation
import GRDB
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

@testable import VitrineStoreSimulator

/// Files of recordings: their content, and invalid files, which are refused.
@Suite(.hangLimit) struct RecordingFileTests {
    // MARK: Content

    @Test(arguments: [false, true])
    func `a recording contains no account token, transaction number or name of a customer`(isFromMiddle: Bool)
        async throws
    {
        let token = "0A1B2C3D-1111-2222-3333-444455556666"
        let store = try RecordedStore.club()
        try await store.useVirtualClock()
        let early = isFromMiddle ? nil : try await RecordedStore(store)
        try await live(in: store, token)
        let recorded = if let early { early } else { try await RecordedStore(store) }
        _ = try await recorded.recording()

        let text = try String(contentsOf: recorded.file, encoding: .utf8).lowercased()
        let number = store.core.seed.firstTransactionID
        let secrets =
            // The name has letters that are not hexadecimal digits, so that no random identifier contains it.
            [token, token.replacingOccurrences(of: "-", with: ""), "lovelace", "toni", "refuses", "ticket", "hook"]
            + (0..<10).map { String(number + $0) } + [store.core.seed.appTransactionID(of: 2), "SECRET"]
        for secret in secrets { #expect(!text.contains(secret.lowercased()), "\(secret)") }
        try await recorded.expectSameReplay()
    }

    private func live(in store: SimulatedStore, _ token: String) async throws {
        let toni = try store.device("Toni's phone", of: "Toni")
        try await store.setNotificationURL(URL(string: "https://toni.example.com/hook"))
        let options = PurchaseOptions(accountToken: UUID(uuidString: token))
        for product in ["coins", "news"] { _ = try await toni.purchase(product, options: options) }
        try await toni.joinFamily("The Lovelaces")
        try await store.setPaymentRestriction("Toni refuses")
        let transactions = try await toni.transactions()
        let api = store.serverAPI
        _ = try await api.extend(transactions[1].id, .extending(by: 3, "ticket of toni@example.com"))
        try await api.setAccountToken(transactions[1].id, ServerBody(object: ["appAccountToken": .string(token)]))
        try await api.reportConsumption(
            transactions[0].id,
            ServerBody(object: [
                "customerConsented": .bool(true), "sampleContentProvided": .bool(false),
                "deliveryStatus": .string("DELIVERED"), "note": .string("SECRET"), "appAccountToken": .string(token),
            ]), version: .v2)
    }

    @Test func `equal account tokens are replaced by equal substitutes in a recording`() async throws {
        let store = try RecordedStore.club()
        let recorded = try await RecordedStore(store)
        let tokens = [UUID(), UUID()]
        for token in [tokens[0], tokens[1], tokens[0]] {
            try await store.fail(.lostAnswer, times: 1)
            _ = try? await store.purchase("pass", options: PurchaseOptions(accountToken: token))
        }
        let found = try await recorded.recording().actions.compactMap { line in
            if case .purchase(let order, _, _) = line.action.action { order.accountToken } else { nil }
        }

        #expect(found.count == 3 && found[0] == found[2] && found[0] != found[1])
        #expect(Set(found).isDisjoint(with: tokens))
    }

    @Test func `each column of a database table that is recorded is either in the recording or explicitly omitted`()
        async throws
    {
        let store = try RecordedStore.club()
        try await store.core.database.read { database in
            for table in RecordedTable.all {
                let columns = try database.columns(in: table.name).map(\.name)
                #expect(Set(columns) == Set(table.columns.map(\.name) + table.omitted), "\(table.name)")
            }
        }
    }

    @Test func `actions before a recording begins and after it ends are not recorded`() async throws {
        let store = try RecordedStore.club()
        _ = try await store.purchase("coins", quantity: 1)
        #expect(try await store.lastRecordedNumber() == 0)
        let recorded = try await RecordedStore(store)
        _ = try await recorded.recording()
        try await StoreRecorder.endRecording(of: store)
        let count = try await store.lastRecordedNumber()
        _ = try await store.purchase("map", quantity: 1)

        #expect(try await store.lastRecordedNumber() == count)
    }

    // MARK: Malformed recordings

    struct Malformed: Sendable, CustomTestStringConvertible {
        let id: String
        let edit: @Sendable ([String]) -> [String]
        let code: StoreRecordingErrorCode
        /// Number of the line in the error; 0 and negative numbers count from the last line.
        let line: Int

        var testDescription: String { id }
    }

    static let malformed: [Malformed] = [
        .init(id: "empty", edit: { _ in [] }, code: .malformed, line: .max),
        .init(id: "no recording", edit: { ["{}"] + $0 }, code: .malformed, line: 1),
        .init(id: "not JSON", edit: { ["hello"] + $0 }, code: .malformed, line: 1),
        .init(id: "a later version", edit: replacing(#""version":1"#, #""version":2"#), code: .newerVersion, line: 1),
        .init(id: "a header without app", edit: replacing(#""bundleId""#, #""bundle""#), code: .malformed, line: 1),
        .init(id: "another app", edit: replacing("com.example.club", "com.example.other"), code: .otherApp, line: 1),
        .init(id: "a date out of range", edit: replacing(#""date":1"#, #""date":-1"#), code: .malformed, line: 1),
        .init(id: "no settings", edit: { $0.filter { !$0.contains(#""settings""#) } }, code: .malformed, line: .max),
        .init(
            id: "an unknown table", edit: replacing(#""row":"customer""#, #""row":"identity""#), code: .malformed,
            line: 3),
        .init(
            id: "an unknown column", edit: replacing(#"{"id":1,"name""#, #"{"id":1,"pem""#), code: .malformed, line: 3),
        .init(
            id: "a value of another type", edit: replacing(#""id":1,"name""#, #""id":"1","name""#), code: .malformed,
            line: 3),
        .init(id: "a row twice", edit: { Array($0.prefix(3) + $0.dropFirst(2)) }, code: .malformed, line: 4),
        .init(id: "a row after an action", edit: { $0 + [$0[2]] }, code: .malformed, line: 0),
        .init(id: "a line is missing", edit: { Array($0.dropLast(2)) + $0.suffix(1) }, code: .malformed, line: 0),
        .init(id: "a line twice", edit: { $0 + $0.suffix(1) }, code: .malformed, line: 0),
        .init(id: "an unknown action", edit: replacing(#"{"purchase""#, #"{"steal""#), code: .malformed, line: 5),
        .init(id: "no product", edit: replacing(#""product":"map","#, ""), code: .malformed, line: 5),
        .init(
            id: "a quantity out of range", edit: replacing(#""quantity":1"#, #""quantity":11"#), code: .malformed,
            line: 5),
        .init(
            id: "a product that is not sold", edit: replacing(#""product":"map""#, #""product":"moon""#),
            code: .refused, line: 5),
        .init(
            id: "a customer who does not exist",
            edit: replacing(#""customer":1,"device":1,"#, #""customer":7,"device":1,"#), code: .refused, line: 5),
        .init(
            id: "a device of another customer", edit: replacing(#""device":1,"price""#, #""device":9,"price""#),
            code: .refused, line: 5),
        .init(id: "another price", edit: replacing(#""price":4990"#, #""price":4991"#), code: .refused, line: 5),
        .init(
            id: "another number of transactions", edit: replacing(#""transactions":1}"#, #""transactions":2}"#),
            code: .refused, line: 5),
        .init(
            id: "a transaction that does not exist", edit: replacing(#"{"transaction":1}"#, #"{"transaction":9}"#),
            code: .refused, line: 7),
        .init(
            id: "a transaction out of range", edit: replacing(#"{"transaction":1}"#, #"{"transaction":-9}"#),
            code: .malformed, line: 7),
        .init(id: "a long line", edit: { $0 + [String(repeating: "x", count: 70_000)] }, code: .malformed, line: 0),
        .init(id: "an empty line", edit: { $0 + [""] }, code: .malformed, line: 0),
        .init(id: "deep JSON", edit: { $0 + [String(repeating: "[", count: 60_000)] }, code: .malformed, line: 0),
        .init(id: "a date far ahead", edit: { $0 + [passed(to: 253_402_300_799_999)] }, code: .refused, line: 0),
        .init(id: "a date out of all calendars", edit: { $0 + [passed(to: .max)] }, code: .malformed, line: 0),
    ]

    private static func replacing(_ text: String, _ other: String) -> @Sendable ([String]) -> [String] {
        { $0.map { $0.replacingOccurrences(of: text, with: other) } }
    }

    private static func passed(to date: Int64) -> String {
        #"{"action":{"time":{}},"date":\#(date),"number":5,"transactions":1}"#
    }

    @Test(arguments: malformed)
    func `a malformed recording is refused with its line number and leaves the store unchanged`(malformed: Malformed)
        async throws
    {
        let lines = try await Self.recordedLines()
        let edited = malformed.edit(lines)
        let store = try RecordedStore.club(seed: 1)
        let before = try await StoreEnd(store).lines
        let error = await #expect(throws: StoreRecordingError.self) {
            try await store.replay(StoreRecording(data: Data(edited.map { "\($0)\n" }.joined().utf8)))
        }

        let line = malformed.line == .max ? nil : malformed.line < 1 ? edited.count + malformed.line : malformed.line
        #expect(error?.code == malformed.code, "\(error.map(String.init(describing:)) ?? "no error")")
        #expect(error?.context == line, "\(error.map(String.init(describing:)) ?? "no error")")
        #expect(try await StoreEnd(store).lines == before)
    }

    /// Returns the lines of a recording: header, settings, customer, device, and four actions.
    private static func recordedLines() async throws -> [String] {
        let store = try RecordedStore.club()
        try await store.useVirtualClock()
        let recorded = try await RecordedStore(store)
        _ = try await store.purchase("map", quantity: 1)
        try await store.refund(store.transactions()[0].id)
        try await store.reverseRefund(store.transactions()[0].id)
        _ = try await recorded.recording()
        return try recorded.lines
    }

    @Test func `a recording is refused by a store that has purchases or further devices, or is being recorded`()
        async throws
    {
        let recording = try await StoreRecording(data: Data(Self.recordedLines().joined(separator: "\n").utf8))
        let (sold, joined, recorded) = (try RecordedStore.club(), try RecordedStore.club(), try RecordedStore.club())
        _ = try await sold.purchase("coins", quantity: 1)
        _ = try joined.device("tablet")
        let recorder = try await RecordedStore(recorded)
        for (store, code) in [(sold, StoreRecordingErrorCode.notEmpty), (joined, .notEmpty), (recorded, .busy)] {
            let error = await #expect(throws: StoreRecordingError.self) { try await store.replay(recording) }
            #expect(error?.code == code)
        }
        withExtendedLifetime(recorder) {}
    }

    @Test func `the error about a recording that cannot be created names its file`() async throws {
        let (folder, store) = (try TemporaryFolder(), try RecordedStore.club())
        let file = folder["none/recording.jsonl"]
        let error = await #expect(throws: StoreRecordingError.self) { try await StoreRecorder(store, to: file) }

        #expect(error?.code == .storage)
        #expect(error?.reason == "\(file.relativePath) cannot be written: there is no such file or folder")
    }

    @Test func `an incomplete last line of a recording is ignored`() async throws {
        let lines = try await Self.recordedLines()
        let whole = Data(lines.map { "\($0)\n" }.joined().utf8)
        for cut in [whole.dropLast(2), whole.dropLast(20)] {
            let recording = try StoreRecording(data: cut)
            #expect(recording.isCutOff && recording.actionCount == 3)
        }
        #expect(try StoreRecording(data: whole.dropLast(1)).actionCount == 4)
    }
}
