package import Foundation
internal import ProductCatalog

/// A lock on a folder that goes with whoever holds it, at the latest with the process.
package final class FolderLock: Sendable {
    private let descriptor: Int32

    private init(holding descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Does something while nobody else has the folder locked.
    static func locking<Value>(
        _ folder: URL, _ body: () throws(ContentError) -> Value
    ) throws(ContentError) -> Value {
        guard let lock = try take(folder, operation: LOCK_EX) else { throw ContentError(lastAt: folder) }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// - Returns: `nil` where somebody else has the folder locked.
    package static func ifFree(_ folder: URL) throws(ContentError) -> FolderLock? {
        try take(folder, operation: LOCK_EX | LOCK_NB)
    }

    private static func take(_ folder: URL, operation: Int32) throws(ContentError) -> FolderLock? {
        let descriptor = open(folder.systemPath, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw ContentError(lastAt: folder) }
        let lock = FolderLock(holding: descriptor)
        while flock(descriptor, operation) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return nil
            default: throw ContentError(lastAt: folder)
            }
        }
        return lock
    }
}
