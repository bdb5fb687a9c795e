package import Foundation

/// A lock on a folder that goes with whoever holds it, at the latest with the process.
package final class FolderLock: Sendable {
    private let descriptor: Int32

    private init(holding descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        // A process that is being started has a copy of the descriptor until it runs, which would hold the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Waits until nobody else has the folder locked.
    ///
    /// - Throws: What the file system says.
    package static func take(_ folder: URL) throws -> FolderLock {
        guard let lock = try lock(folder, operation: LOCK_EX) else { throw SystemError.last }
        return lock
    }

    /// Waits until nobody has the folder locked alone, and locks it together with others.
    ///
    /// - Throws: What the file system says.
    package static func share(_ folder: URL) throws -> FolderLock {
        guard let lock = try lock(folder, operation: LOCK_SH) else { throw SystemError.last }
        return lock
    }

    /// - Returns: `nil` where somebody else has the folder locked.
    /// - Throws: What the file system says.
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
