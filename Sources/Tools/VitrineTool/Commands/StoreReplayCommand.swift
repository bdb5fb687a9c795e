import ArgumentParser
import Foundation
import Vitrine
import VitrineCommandSupport
import VitrineEntitlements
import VitrineStoreSimulator
import VitrineSupport

struct StoreReplayCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Repeat in the store what was recorded in another one, or what a customer's ledger tells.",
        discussion: """
            The file is a recording that 'vitrine store serve --record' has made, or a ledger that 'vitrine export' \
            has written. The store must be made from the same .storekit file, and have no purchases. Each action \
            happens at its date; afterwards the store uses a virtual clock, which stands at the last of them. A \
            recording is repeated as a whole: at the first line that does not fit, the command ends with the exit \
            status 1, or 65 for a line that no recording has, and the store is unchanged. Of a ledger, the command \
            names what no store can repeat; the app receives all transactions anew.

            EXAMPLE:
              vitrine init --home case --catalog Club.plist --store Club.storekit \\
                --bundle com.example.club
              vitrine store replay --home case recording.jsonl
              vitrine store replay --home case ledger.json
            """
    )

    @Argument(
        help: ArgumentHelp("The recording or the exported ledger; - is standard input.", valueName: "file"),
        completion: .file())
    var file: String

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions

    var activity: String? { "repeating what has happened" }

    func report() async throws -> Report {
        let data = try InputFile.read(file, limit: LedgerDocument.sizeLimit)
        let store = try home.folder.openStore()
        do throws(StoreRecordingError) {
            if StoreRecording.isRecording(data) { return try await replay(StoreRecording(data: data), in: store) }
            guard let document = try? LedgerDocument(json: data) else {
                // The reason why the file is no recording names its line.
                return try await replay(StoreRecording(data: data), in: store)
            }
            return report(on: try await store.replay(CustomerCase(document)), remarks: [])
        } catch {
            throw ToolFailure(status: error.status, reason: "\(file): \(error)")
        }
    }

    private func replay(
        _ recording: StoreRecording, in store: SimulatedStore
    ) async throws(StoreRecordingError) -> Report {
        report(
            on: try await store.replay(recording),
            remarks: recording.isCutOff ? ["warning: \(file): the last line is incomplete, and was left out"] : [])
    }

    private func report(on replay: StoreReplay, remarks: [String]) -> Report {
        var table = Table(headings: ["ACTION", "COUNT"])
        table.rows = replay.actionCounts.sorted { $0.key < $1.key }.map { [$0.key, String($0.value)] }
        let summary = """
            repeated \(replay.actionCount) actions: the store has \(replay.transactionCount) transactions, \
            \(replay.notificationCount) notifications, and stands at \(replay.date.second)
            """
        return Report(
            lines: (table.rows.isEmpty ? [] : table.lines) + replay.omissions.map { "not repeated: \($0)" } + [summary],
            json: [
                "actions": JSONObject(replay.actionCounts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
                "transactions": replay.transactionCount, "notifications": replay.notificationCount,
                "date": replay.date, "notRepeated": replay.omissions,
            ], remarks: remarks)
    }
}

extension StoreRecordingError {
    fileprivate var status: ExitStatus {
        switch code {
        case .malformed, .newerVersion: .unusableData
        case .storage: .inputOutput
        default: .no
        }
    }
}
