import Foundation
import Testing

/// Lock on a folder, as another process holds it.
struct ForeignLock {
    private let descriptor: Int32

    /// Locks a folder.
    ///
    /// - Parameter operation: `LOCK_EX` or `LOCK_SH`.
    init(_ folder: URL, operation: Int32 = LOCK_EX) throws {
        descriptor = open(folder.path(percentEncoded: false), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        try #require(descriptor >= 0 && flock(descriptor, operation) == 0)
    }

    /// Ends the lock, also where a process that another test is starting has a copy of the descriptor.
    func release() {
        #expect(flock(descriptor, LOCK_UN) == 0)
        close(descriptor)
    }
}
