internal import Foundation
internal import ProductCatalog

extension FolderLock {
    /// Does something while nobody else has the folder locked.
    static func locking<Value>(
        _ folder: URL, _ body: () throws(ContentError) -> Value
    ) throws(ContentError) -> Value {
        let lock: FolderLock
        do {
            lock = try take(folder)
        } catch {
            throw ContentError(error, at: folder)
        }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }

    /// - Returns: `nil` where somebody else has the folder locked.
    static func unlessTaken(_ folder: URL) throws(ContentError) -> FolderLock? {
        do {
            return try ifFree(folder)
        } catch {
            throw ContentError(error, at: folder)
        }
    }
}
