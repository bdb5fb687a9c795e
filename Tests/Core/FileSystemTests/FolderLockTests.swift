import Foundation
import Testing
import VitrineFileSystem
import VitrineTestSupport

@Suite(.hangLimit) struct FolderLockTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a locked folder cannot be locked again until the lock is released`() throws {
        var lock = try FolderLock.ifFree(folder.url)
        #expect(lock != nil)
        #expect(try FolderLock.ifFree(folder.url) == nil)
        lock = nil
        #expect(try FolderLock.ifFree(folder.url) != nil)
    }

    #if os(Linux)
        @Test func `a released folder lock is free even if a copy of its file descriptor is still open`()
            throws
        {
            var lock = try FolderLock.ifFree(folder.url)
            let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
                .filter { descriptor in
                    let path = try? FileManager.default.destinationOfSymbolicLink(
                        atPath: "/proc/self/fd/\(descriptor)")
                    return path == folder.url.resolvingSymlinksInPath().path(percentEncoded: false).withoutSlash
                }
                .map { dup($0) }
            defer { for copy in copies { close(copy) } }
            #expect(copies.count == 1)
            withExtendedLifetime(lock) {}
            lock = nil

            #expect(try FolderLock.ifFree(folder.url) != nil)
        }
    #endif
}

extension String {
    fileprivate var withoutSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
