import Foundation
import Testing
import VitrineAppStoreEmulator
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Recordings by servers, some of which are killed.
@Suite(.blocksThreads, .hangLimit) struct RecordingEmulatorTests {
    @Test(arguments: [false, true])
    func `a recording continues without lost or repeated actions after its server was killed`(isTorn: Bool) async throws
    {
        let recorded = try StoreToRecord()
        let store = try recorded.open()
        try await store.useVirtualClock()
        var server = try RecordingEmulator(of: recorded.store, to: recorded.file)
        for part in 1...4 {
            // The server is killed while another process acts.
            let acting = Task { try await act(50, in: store) }
            let count = try recorded.numbers().count
            while try recorded.numbers().count == count { await Task.yield() }
            server.kill()
            if isTorn { try Self.append(#"{"action":{"purchase":{"#, to: recorded.file) }
            if part.isMultiple(of: 2) { try await acting.value }
            server = try RecordingEmulator(of: recorded.store, to: recorded.file)
            try await acting.value
        }
        try server.end()

        let numbers = try recorded.numbers()
        #expect(numbers == Array(1...Int64(numbers.count)))
        try await recorded.expectSameReplay()
    }

    private func act(_ count: Int, in store: SimulatedStore) async throws {
        for number in 0..<count {
            switch number % 5 {
            case 0: try await store.purchaseElsewhere("coins", quantity: 1 + number % 10)
            case 1: _ = try await store.purchase("pass", quantity: 1)
            case 2: for transaction in try await store.unfinishedTransactions() { try await store.finish(transaction) }
            case 3: try await store.refund(store.transactions().last?.id ?? "")
            default: try await store.advance(by: 3_600)
            }
        }
    }

    private static func append(_ text: String, to file: URL) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test func `actions between two server runs are recorded by the next server with the same recording file`()
        async throws
    {
        let recorded = try StoreToRecord()
        try RecordingEmulator(of: recorded.store, to: recorded.file).end()
        _ = try await recorded.open().purchase("map", quantity: 1)
        let count = try recorded.numbers().count
        try RecordingEmulator(of: recorded.store, to: recorded.file).end()

        #expect(try recorded.numbers().count == count + 2)
        try await recorded.expectSameReplay()
    }

    @Test func `a server started without a recording file ends the recording, and later servers cannot continue it`()
        async throws
    {
        let recorded = try StoreToRecord()
        try RecordingEmulator(of: recorded.store, to: recorded.file).end()
        try RecordingEmulator(of: recorded.store, to: nil).end()
        _ = try await recorded.open().purchase("map", quantity: 1)

        let failure = #expect(throws: RecordingEmulator.Failure.self) {
            try RecordingEmulator(of: recorded.store, to: recorded.file)
        }
        #expect(failure?.status == 1)
        #expect(failure?.errors.contains("is not the recording of this store that goes on") == true)
    }

    @Test func `only one server at a time records a store, and a server without a file leaves the recording running`()
        async throws
    {
        let recorded = try StoreToRecord()
        let server = try RecordingEmulator(of: recorded.store, to: recorded.file)
        let failure = #expect(throws: RecordingEmulator.Failure.self) {
            try RecordingEmulator(of: recorded.store, to: recorded.folder["other.jsonl"])
        }
        #expect(failure?.status == 1 && failure?.errors.contains("another process records the store") == true)
        try RecordingEmulator(of: recorded.store, to: nil).end()
        _ = try await recorded.open().purchase("map", quantity: 1)
        try server.end()

        try await recorded.expectSameReplay()
    }

    @Test func `a file that is not a recording is refused and not overwritten`() async throws {
        let recorded = try StoreToRecord()
        for text in ["hello\n", "{}"] {
            try Data(text.utf8).write(to: recorded.file)
            let failure = #expect(throws: RecordingEmulator.Failure.self) {
                try RecordingEmulator(of: recorded.store, to: recorded.file)
            }
            #expect(failure?.status == 65 && failure?.errors.contains("line 1") == true)
            #expect(try String(contentsOf: recorded.file, encoding: .utf8) == text)
        }
    }

    @Test func `an embedded server records the actions of its store until it ends`() async throws {
        let store = try ServedStore.club(seed: 7_465)
        let folder = try TemporaryFolder()
        var options = AppStoreEmulatorOptions()
        options.recording = folder["recording.jsonl"]
        try await ServedStore.run(store, options: options) { served in
            _ = try await served.store.purchase("map", quantity: 1)
        }
        let recording = try StoreRecording(data: Data(contentsOf: folder["recording.jsonl"]))
        let replayed = try ServedStore.club(seed: 1)
        try await replayed.replay(recording)

        #expect(try await replayed.transactions().map(\.productIdentifier) == ["map"])
    }
}
