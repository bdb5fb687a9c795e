internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import VitrineFileSystem

/// Regular file that is open for reading. Its length and stamp remain valid if another file replaces it at its path.
final class OpenFile: Sendable {
    /// Identity and state of the file when this object opened it.
    let stamp: FileStatus.Stamp
    private let descriptor: CInt

    var length: Int { stamp.length }
    /// Date of the last modification, in whole seconds.
    var modifiedDate: Date { Date(timeIntervalSince1970: Double(stamp.modified / 1_000_000_000)) }

    /// Opens a file below a folder, without following links.
    ///
    /// - Returns: `nil` if there is no regular file that this process may read.
    init?(_ names: [String], below folder: URL) {
        guard let name = names.last else { return nil }
        let flags = O_RDONLY | O_CLOEXEC
        var parent = open(folder.path(percentEncoded: false), flags | O_DIRECTORY)
        for name in names.dropLast() where parent >= 0 {
            let child = openat(parent, name, flags | O_DIRECTORY | O_NOFOLLOW)
            close(parent)
            parent = child
        }
        guard parent >= 0 else { return nil }
        // Without O_NONBLOCK, opening a pipe would wait for a process that writes to it.
        let descriptor = openat(parent, name, flags | O_NOFOLLOW | O_NONBLOCK)
        close(parent)
        guard descriptor >= 0 else { return nil }
        guard let stamp = Self.stamp(of: descriptor) else {
            close(descriptor)
            return nil
        }
        (self.descriptor, self.stamp) = (descriptor, stamp)
    }

    deinit { close(descriptor) }

    /// `true` if the file has not changed since this object opened it.
    var isUnchanged: Bool { Self.stamp(of: descriptor) == stamp }

    private static func stamp(of descriptor: CInt) -> FileStatus.Stamp? {
        guard let status = FileStatus(descriptor: descriptor), status.isRegularFile else { return nil }
        return status.stamp
    }

    /// Reads a part of the file on a thread of the thread pool.
    ///
    /// - Throws: ``FileFailure`` if the file cannot be read, or has become shorter.
    func part(_ range: Range<Int>) async throws -> ByteBuffer {
        try await NIOThreadPool.singleton.runIfActive { try self.read(range) }
    }

    /// Reads a part of the file.
    ///
    /// - Throws: ``FileFailure`` if the file cannot be read, or has become shorter.
    func read(_ range: Range<Int>) throws -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: range.count)
        try read(range, into: &buffer)
        return buffer
    }

    /// Reads a part of the file into an empty buffer.
    ///
    /// - Throws: ``FileFailure`` if the file cannot be read, or has become shorter.
    func read(_ range: Range<Int>, into buffer: inout ByteBuffer) throws {
        var failure: CInt = 0
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: range.count) { bytes in
            var count = 0
            while count < range.count {
                let read = pread(
                    descriptor, bytes.baseAddress.map { $0 + count }, range.count - count,
                    off_t(range.lowerBound + count))
                if read < 0, errno == EINTR { continue }
                if read < 0 { failure = errno }
                guard read > 0 else { break }
                count += read
            }
            return count
        }
        guard failure == 0 else { throw FileFailure(reason: "the file cannot be read: error \(failure)") }
        guard buffer.readableBytes == range.count else { throw FileFailure(reason: "the file has become shorter") }
    }
}

/// Error of reading a file while it is sent.
struct FileFailure: Error, CustomStringConvertible {
    let reason: String

    var description: String { reason }
}
