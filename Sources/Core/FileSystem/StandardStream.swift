import Foundation

/// Standard input, output and error of this process. They may be in the non-blocking mode, which another process that has
/// the same stream can set, such as one of Node.js in a job of CI: a read without data and a write to a full pipe then fail
/// with `EAGAIN`.
package enum StandardStream {
    /// Opens `/dev/null` in place of each stream that was closed when the process was started. A file that is opened later
    /// would otherwise get its number, and what is written to the stream would go into that file. Reading from and
    /// writing to such a stream fails, as if it were closed.
    package static func replaceClosed() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number, which is that of the stream, is the one that is given.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes all bytes to a descriptor, and waits while its reader is slower.
    package static func write(_ bytes: [UInt8], to descriptor: CInt) throws(FileSystemError) {
        var failure: FileSystemError?
        bytes.withUnsafeBytes { buffer in
            var written = 0
            while written < buffer.count {
                let count = Foundation.write(
                    descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
                if count >= 0 {
                    written += count
                } else if !isWorthRepeating(descriptor, for: POLLOUT) {
                    failure = FileSystemError(lastAt: URL(filePath: "/dev/fd/\(descriptor)"))
                    return
                }
            }
        }
        if let failure { throw failure }
    }

    /// Returns `true` if a read or write that has just failed can be repeated: it was interrupted, or the descriptor was
    /// not ready, and now is. Otherwise `errno` is unchanged.
    ///
    /// - Parameter event: `POLLIN` or `POLLOUT`.
    static func isWorthRepeating(_ descriptor: CInt, for event: CInt) -> Bool {
        let number = errno
        if number == EINTR { return true }
        guard number == EAGAIN, isStream(descriptor) else {
            errno = number
            return false
        }
        var request = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while poll(&request, 1, -1) < 0, errno == EINTR || errno == EAGAIN {}
        return true
    }

    /// `true` for a pipe, a socket or a terminal. If the process was started with a closed stream, the descriptor can
    /// belong to a timer or queue of the system's libraries, which would never be ready.
    private static func isStream(_ descriptor: CInt) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && [S_IFIFO, S_IFSOCK, S_IFCHR].contains(status.st_mode & S_IFMT)
    }
}
