internal import Foundation
internal import VitrineFileSystem
internal import VitrineSupport

/// File of a recording in progress.
enum RecordingFile {
    struct Found {
        let header: RecordingHeader
        /// Length in bytes up to the end of the last complete line.
        let length: Int
        /// Number of the last action; 0 if the file has none.
        let number: Int64
    }

    /// Finds the end of the recording in a file. An incomplete last line, which remains if the writing process was
    /// killed, is ignored.
    ///
    /// - Returns: `nil` if there is no file, or it is empty.
    static func find(_ file: URL) throws(StoreRecordingError) -> Found? {
        let data: Data
        do throws(FileSystemError) {
            data = try BoundedFile.read(file, limit: RecordingLimits.file)
        } catch {
            if error.isMissing { return nil }
            throw StoreRecordingError(.storage, "\(error)")
        }
        guard !data.isEmpty else { return nil }
        let recording: StoreRecording
        do throws(StoreRecordingError) {
            recording = try StoreRecording(data: data)
        } catch {
            throw StoreRecordingError(code: error.code, reason: "\(file.relativePath): \(error)", context: nil)
        }
        guard let end = data.lastIndex(of: UInt8(ascii: "\n")) else {
            throw StoreRecordingError(.malformed, "\(file.relativePath): the first line is incomplete")
        }
        let isWhole = recording.isCutOff || end == data.endIndex - 1
        let count = recording.actions.count - (isWhole ? 0 : 1)
        return Found(header: recording.header, length: end - data.startIndex + 1, number: Int64(count))
    }

    /// Creates a file with the first lines of a recording.
    ///
    /// - Returns: The length of the file in bytes.
    static func create(_ file: URL, with lines: [Data]) throws(StoreRecordingError) -> Int {
        let data = joined(lines)
        do {
            try DurableFile.write(data, to: file)
        } catch {
            throw unwritable(file, error)
        }
        return data.count
    }

    /// Appends lines to a file, and returns once they are on the disk.
    ///
    /// - Parameter length: Length of the complete recording in bytes. The file is first truncated to this length, which
    ///   removes the remains of a failed attempt.
    /// - Returns: The new length of the file in bytes.
    static func append(_ lines: [Data], to file: URL, at length: Int) throws(StoreRecordingError) -> Int {
        let data = joined(lines)
        guard length + data.count <= RecordingLimits.file else {
            throw StoreRecordingError(
                .storage, "\(file.relativePath) would be larger than \(RecordingLimits.file / 1024 / 1024) MiB")
        }
        guard let present = FileStatus(file)?.length, present >= length else {
            throw StoreRecordingError(.otherRecording, "\(file.relativePath) was removed or shortened")
        }
        do {
            let handle = try FileHandle(forUpdating: file)
            try handle.truncate(atOffset: UInt64(length))
            try handle.write(contentsOf: data)
            try handle.synchronize()
            try handle.close()
        } catch {
            throw unwritable(file, error)
        }
        return length + data.count
    }

    private static func unwritable(_ file: URL, _ error: any Error) -> StoreRecordingError {
        StoreRecordingError(.storage, "\(file.relativePath) cannot be written: \(BoundedFile.reason(for: error))")
    }

    private static func joined(_ lines: [Data]) -> Data {
        lines.reduce(into: Data()) { data, line in
            data += line
            data.append(UInt8(ascii: "\n"))
        }
    }
}
