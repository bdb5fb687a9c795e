package import Foundation

/// A lock on a folder, released when the object is deallocated or the process ends.
package final class FolderLock: Sendable {
    private let descriptor: Int32

    private init(holding descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        // A child process has a copy of the descriptor until it executes its program, and would hold the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Acquires an exclusive lock, waiting until it is available.
    ///
    /// - Throws: The error of the file system.
    package static func take(_ folder: URL) throws -> FolderLock {
        guard let lock = try lock(folder, operation: LOCK_EX) else { throw SystemError.last }
        return lock
    }

    /// Acquires a shared lock, waiting until no exclusive lock is held.
    ///
    /// - Throws: The error of the file system.
    package static func share(_ folder: URL) throws -> FolderLock {
        guard let lock = try lock(folder, operation: LOCK_SH) else { throw SystemError.last }
        return lock
    }

    /// Acquires an exclusive lock without waiting.
    ///
    /// - Returns: `nil` if another lock is held.
    /// - Throws: The error of the file system.
    package static func ifFree(_ folder: URL) throws -> FolderLock? {
        try lock(folder, operation: LOCK_EX | LOCK_NB)
    }

    private static func lock(_ folder: URL, operation: Int32) throws -> FolderLock? {
        let descriptor = open(folder.systemPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last }
        let lock = FolderLock(holding: descriptor)
        while flock(descriptor, operation) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return nil
            default: throw SystemError.last
            }
        }
        return lock
    }
}
