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
    /// - Throws: ``ContentUnavailable`` if the process or the system cannot open files at the moment.
    init?(_ names: [String], below folder: URL) throws(ContentUnavailable) {
        guard let name = names.last else { return nil }
        let flags = O_RDONLY | O_CLOEXEC
        var parent = try Self.opened(open(folder.path(percentEncoded: false), flags | O_DIRECTORY))
        for name in names.dropLast() {
            guard let folder = parent else { return nil }
            defer { close(folder) }
            parent = try Self.opened(openat(folder, name, flags | O_DIRECTORY | O_NOFOLLOW))
        }
        guard let parent else { return nil }
        defer { close(parent) }
        // Without O_NONBLOCK, opening a pipe would wait for a process that writes to it.
        guard let descriptor = try Self.opened(openat(parent, name, flags | O_NOFOLLOW | O_NONBLOCK)) else {
            return nil
        }
        guard let stamp = Self.stamp(of: descriptor) else {
            close(descriptor)
            return nil
        }
        (self.descriptor, self.stamp) = (descriptor, stamp)
    }

    deinit { close(descriptor) }

    /// Returns the descriptor that a call of the system has returned; `nil` if the call has failed.
    private static func opened(_ descriptor: CInt) throws(ContentUnavailable) -> CInt? {
        if descriptor < 0, let shortage = ContentUnavailable(errno: errno) { throw shortage }
        return descriptor < 0 ? nil : descriptor
    }

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

/// Reason why it cannot be determined now whether a file exists, or which product it belongs to.
struct ContentUnavailable: Error, Hashable {
    let reason: String

    init(reason: String) { self.reason = reason }

    /// - Returns: `nil` for the error number of a call that fails because of the file.
    init?(errno: CInt) {
        switch errno {
        case EMFILE: reason = "this process has as many open files as it may have"
        case ENFILE: reason = "the system has as many open files as it can have"
        case ENOMEM: reason = "the system has no memory to open a file"
        default: return nil
        }
    }
}

/// Error of reading a file while it is sent.
struct FileFailure: Error, CustomStringConvertible {
    let reason: String

    var description: String { reason }
}
