import Foundation
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Emulated App Store server in a process of its own that records a store in a folder.
final class RecordingEmulator {
    private let process = Process()
    private let (output, errors) = (Pipe(), Pipe())

    /// Starts the server, and waits until it is ready.
    ///
    /// - Parameter file: File of the recording; `nil` to record nothing.
    init(of folder: URL, to file: URL?) throws {
        process.executableURL = Bundle.main.bundleURL.appending(path: "vitrine-server")
        process.arguments =
            ["store", folder.path(percentEncoded: false)]
            + (file.map { ["--record", $0.path(percentEncoded: false)] } ?? [])
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard !line.contains("the store answers at") else { return }
        process.waitUntilExit()
        throw Failure(status: process.terminationStatus, errors: try read(errors))
    }

    /// Failure of a server to start.
    struct Failure: Error {
        let status: Int32
        let errors: String
    }

    /// Kills the process.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Terminates the process gracefully.
    func end() throws {
        process.terminate()
        process.waitUntilExit()
        let said = try read(errors)
        #expect(process.terminationStatus == 0, "\(said)")
    }

    private func read(_ pipe: Pipe) throws -> String {
        String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}

/// Store in a folder that several processes use, with the file of its recording.
struct StoreToRecord {
    let folder: TemporaryFolder
    var file: URL { folder["recording.jsonl"] }
    var store: URL { folder["Store"] }

    init() throws {
        folder = try TemporaryFolder()
        try SimulatedStore.create(
            in: folder["Store"], configuration: Data(contentsOf: Repository.file("Catalogs/Club.storekit")),
            bundleIdentifier: ServedStore.bundle, seed: 7_465)
    }

    func open() throws -> SimulatedStore { try SimulatedStore(folder: store) }

    /// Returns the numbers of the actions in the file.
    func numbers() throws -> [Int64] {
        try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap { line in
            struct Action: Decodable {
                let number: Int64?
            }
            return try JSONDecoder().decode(Action.self, from: Data(line.utf8)).number
        }
    }

    /// Replays the recording in another store, and compares the transactions and notifications of both.
    func expectSameReplay() async throws {
        let replayed = try ServedStore.club(seed: 1)
        try await replayed.replay(StoreRecording(data: Data(contentsOf: file)))
        let (found, expected) = (try await Self.lines(about: replayed), try await Self.lines(about: open()))
        #expect(found == expected)
    }

    private static func lines(about store: SimulatedStore) async throws -> [String] {
        let transactions = try await store.transactions().map {
            "\($0.productIdentifier) \($0.purchaseDate) \($0.expirationDate.debugDescription) "
                + "\($0.revocationDate.debugDescription) \($0.price) \($0.isFinished)"
        }
        let subscriptions = try await store.subscriptions().map {
            "\($0.productIdentifier) \($0.state.rawValue) \($0.expirationDate) \($0.isRenewing)"
        }
        let notifications = try await store.notifications().map { "\($0.date) \($0.type) \($0.subtype ?? "-")" }
        return transactions + subscriptions + notifications
    }
}
