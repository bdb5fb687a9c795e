public import Foundation
internal import VitrineCatalog
internal import VitrineReceipts

/// Recording of a simulated store: the actions of persons, apps and servers, as one JSON object per line.
///
/// The first line is a header. The next lines are the table rows that the store had when the recording began. All
/// further lines are actions, numbered from 1. Account tokens, transaction identifiers and names are replaced by
/// pseudonyms; the same value always has the same pseudonym. ``SimulatedStore/replay(_:)`` repeats the actions in
/// another store.
public struct StoreRecording: Sendable {
    let header: RecordingHeader
    let rows: [(line: Int, row: RecordingRow)]
    let actions: [(line: Int, action: RecordingAction)]
    /// `true` if the last line is incomplete, because the recording process was killed while writing it. The line is
    /// not part of the recording, and is written again when the recording continues.
    public let isCutOff: Bool

    /// Bundle identifier of the app whose store was recorded.
    public var bundleIdentifier: String { header.bundleId }

    /// Number of actions in the recording.
    public var actionCount: Int { actions.count }

    /// Reads a recording.
    ///
    /// - Parameter data: Content of a file of at most 256 MiB, with lines of at most 64 KiB each.
    /// - Throws: ``StoreRecordingError``: `malformed` or `newerVersion`, with the number of the line.
    public init(data: Data) throws(StoreRecordingError) {
        var lines = try RecordingLines(data)
        guard let first = try lines.next() else { throw StoreRecordingError(.malformed, "the file is empty") }
        header = try RecordingHeader(first.bytes).checked()
        var (rows, actions) = ([(line: Int, row: RecordingRow)](), [(line: Int, action: RecordingAction)]())
        var isCutOff = false
        while let line = try lines.next() {
            do throws(StoreRecordingError) {
                switch try RecordingEntry(line.bytes) {
                case .row(let row):
                    guard actions.isEmpty else {
                        throw StoreRecordingError(.malformed, "a row of the store must be before the first action")
                    }
                    rows.append((line.number, row))
                case .action(let action):
                    guard action.number == actions.count + 1 else {
                        throw StoreRecordingError(
                            .malformed, "this is action \(action.number), not \(actions.count + 1): lines are missing")
                    }
                    actions.append((line.number, action))
                }
            } catch {
                guard !line.isComplete else { throw error.inLine(line.number) }
                isCutOff = true
            }
        }
        (self.rows, self.actions, self.isCutOff) = (rows, actions, isCutOff)
    }

    /// Returns `true` if a file may be a recording, because it begins with a header of the supported version.
    public static func isRecording(_ data: Data) -> Bool {
        guard let end = data.prefix(RecordingLimits.line).firstIndex(of: UInt8(ascii: "\n")) else { return false }
        return (try? RecordingHeader(data[..<end])) != nil
    }
}

/// Lines of a file.
private struct RecordingLines {
    struct Line {
        let bytes: Data
        let number: Int
        /// `true` if the line ends with a line feed. Only the last line can lack it.
        let isComplete: Bool
    }

    private let data: Data
    private var start: Data.Index
    private var count = 0

    init(_ data: Data) throws(StoreRecordingError) {
        guard data.count <= RecordingLimits.file else {
            throw StoreRecordingError(
                .malformed, "the file is larger than \(RecordingLimits.file / 1024 / 1024) MiB")
        }
        (self.data, start) = (data, data.startIndex)
    }

    /// Returns the next line without its line feed; `nil` at the end of the file.
    mutating func next() throws(StoreRecordingError) -> Line? {
        guard start < data.endIndex else { return nil }
        count += 1
        let limit = min(data.endIndex, start + RecordingLimits.line + 1)
        let end = data[start..<limit].firstIndex(of: UInt8(ascii: "\n"))
        guard end != nil || limit == data.endIndex && limit - start <= RecordingLimits.line else {
            throw StoreRecordingError(
                .malformed, "the line has more than \(RecordingLimits.line) bytes", line: count)
        }
        let bytes = data[start..<(end ?? limit)]
        start = end.map { $0 + 1 } ?? data.endIndex
        return Line(bytes: bytes, number: count, isComplete: end != nil)
    }
}
