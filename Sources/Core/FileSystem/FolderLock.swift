package import Foundation

/// Lock on a folder. It applies to other threads and other processes. The lock ends when this object is released or the
/// process ends.
package final class FolderLock: Sendable {
    private let descriptor: Int32

    private init(holding descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        // A child process that is being started has a copy of the descriptor until it calls `exec`. Without an explicit
        // unlock, the copy would still hold the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Waits until no process holds a lock on a folder, and locks the folder exclusively.
    package static func acquire(_ folder: URL) throws(FileSystemError) -> FolderLock {
        guard let lock = try lock(folder, operation: LOCK_EX) else { throw FileSystemError(lastAt: folder) }
        return lock
    }

    /// Waits until no process holds an exclusive lock on a folder, and locks the folder with a shared lock, which
    /// several owners can hold at the same time.
    package static func share(_ folder: URL) throws(FileSystemError) -> FolderLock {
        guard let lock = try lock(folder, operation: LOCK_SH) else { throw FileSystemError(lastAt: folder) }
        return lock
    }

    /// Locks a folder exclusively, without waiting.
    ///
    /// - Returns: `nil` if the folder is locked already.
    package static func ifFree(_ folder: URL) throws(FileSystemError) -> FolderLock? {
        try lock(folder, operation: LOCK_EX | LOCK_NB)
    }

    /// Waits until a folder can be locked exclusively, and calls a function while the folder is locked.
    package static func locking<Value, Failure: FileSystemFailure>(
        _ folder: URL, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let lock: FolderLock
        do throws(FileSystemError) {
            lock = try acquire(folder)
        } catch {
            throw Failure(error)
        }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    private static func lock(_ folder: URL, operation: Int32) throws(FileSystemError) -> FolderLock? {
        let descriptor = open(folder.systemPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileSystemError(lastAt: folder) }
        let lock = FolderLock(holding: descriptor)
        while flock(descriptor, operation) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return nil
            default: throw FileSystemError(lastAt: folder)
            }
        }
        return lock
    }
}
