internal import Foundation
internal import VitrineFileSystem
internal import VitrineSupport

/// File of a recording that goes on.
enum RecordingFile {
    /// Recording that a file has.
    struct Found {
        let header: RecordingHeader
        /// Length in bytes up to the end of the last complete line.
        let length: Int
        /// Number of the last action; 0 if the file has none.
        let number: Int64
    }

    /// Reads where the recording in a file ends. A last line that is incomplete, because the process was killed that
    /// wrote it, does not count.
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
            throw StoreRecordingError(.storage, "\(error)")
        }
        return data.count
    }

    /// Adds lines to a file, and returns once they are on the disk.
    ///
    /// - Parameter length: Length in bytes up to which the file is complete. What an earlier attempt has written after
    ///   it is removed.
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
            throw StoreRecordingError(
                .storage, "\(file.relativePath) cannot be written: \(BoundedFile.reason(for: error))")
        }
        return length + data.count
    }

    private static func joined(_ lines: [Data]) -> Data {
        lines.reduce(into: Data()) { data, line in
            data += line
            data.append(UInt8(ascii: "\n"))
        }
    }
}
