import Foundation
import GRDB
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineTestSupport

@testable import VitrineStoreSimulator

/// Store in memory that is recorded to a file.
struct RecordedStore {
    let store: SimulatedStore
    let recorder: StoreRecorder
    let file: URL
    /// Number of the last notification before the recording began.
    let notification: Int64
    private let folder: TemporaryFolder

    static let seed: UInt64 = 74_656
    private static let configuration = Result { try Data(contentsOf: Repository.file("Catalogs/Club.storekit")) }

    /// Begins to record a store.
    init(_ store: SimulatedStore) async throws {
        (self.store, folder) = (store, try TemporaryFolder())
        notification = try await store.notifications().last?.number ?? 0
        file = folder["recording.jsonl"]
        recorder = try await StoreRecorder(store, to: file)
    }

    /// Returns a store that sells the products of `Club.storekit`.
    ///
    /// - Parameter edit: Function that changes the configuration.
    static func club(
        seed: UInt64 = Self.seed, environment: StoreEnvironment = .sandbox,
        clock: TestClock = TestClock(ClubStore.start),
        _ edit: (String) -> String = { $0 }
    ) throws -> SimulatedStore {
        try SimulatedStore.inMemory(
            configuration: Data(edit(String(decoding: configuration.get(), as: UTF8.self)).utf8),
            bundleIdentifier: ClubStore.bundleIdentifier, environment: environment,
            appIdentifier: environment == .production ? 1_234_567_890 : nil, now: { clock.now }, seed: seed)
    }

    /// Ends the recording, and returns it.
    func recording() async throws -> StoreRecording {
        try await recorder.finish()
        return try StoreRecording(data: Data(contentsOf: file))
    }

    /// Lines of the recording's file.
    var lines: [String] {
        get throws { try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init) }
    }

    /// Replays the recording in a store with another seed, and compares the states of both stores.
    @discardableResult
    func expectSameReplay(_ comment: Comment? = nil) async throws -> SimulatedStore {
        let recording = try await recording()
        let replayed = try await Self.replay(recording)
        let found = try await StoreEnd(replayed).lines
        let expected = try await StoreEnd(store, notificationsAfter: notification).lines
        if found != expected {
            Issue.record("\(comment?.rawValue ?? "")\n\(Self.differences(expected, found))")
        }
        return replayed
    }

    /// Replays a recording in a store with another seed, and opens that store in the environment of the recorded one.
    static func replay(_ recording: StoreRecording) async throws -> SimulatedStore {
        let store = try Self.club(seed: 4_711)
        try await store.replay(recording)
        let core = try StoreCore(
            database: store.core.database, configuration: store.core.configuration, machineNow: { ClubStore.start },
            sleep: { _ in })
        return try SimulatedStore(
            core, customer: store.customer, device: store.deviceName, mayAdd: false, storefront: nil, language: nil)
    }

    private static func differences(_ expected: [String], _ found: [String]) -> String {
        let changes = found.difference(from: expected).prefix(20)
        return changes.map { change in
            switch change {
            case .insert(let line, let text, _): "found \(line): \(text)"
            case .remove(let line, let text, _): "expected \(line): \(text)"
            }
        }.joined(separator: "\n")
    }
}
