package import Foundation

/// Reads and writes files block by block, without following links.
package enum FileBlocks {
    private static let blockSize = 1024 * 1024

    /// Calls a function with each block of a regular file, in order.
    package static func read<Failure: FileSystemFailure>(
        _ url: URL, _ body: (Data) throws(Failure) -> Void
    ) throws(Failure) {
        // Without O_NONBLOCK, opening a pipe that has taken the file's place would wait forever.
        let descriptor = open(url.systemPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(FileSystemError(lastAt: url)) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(FileSystemError(lastAt: url)) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(FileSystemError(.unusable, at: url, reason: "not a regular file"))
        }
        while let block = try next(of: file, at: url, Failure.self) { try body(block) }
    }

    /// - Returns: `nil` at the end of the file.
    private static func next<Failure: FileSystemFailure>(
        of file: FileHandle, at url: URL, _: Failure.Type
    ) throws(Failure) -> Data? {
        guard !Task.isCancelled else {
            throw Failure(FileSystemError(.cancelled, at: url, reason: "reading was cancelled"))
        }
        do {
            let block = try file.read(upToCount: blockSize)
            return block?.isEmpty == false ? block : nil
        } catch {
            throw Failure(FileSystemError(error, at: url))
        }
    }

    /// Writes a new file and syncs it.
    ///
    /// - Parameter body: Calls its argument with each block.
    package static func write<Failure: FileSystemFailure>(
        _ url: URL, _ body: ((Data) throws(Failure) -> Void) throws(Failure) -> Void
    ) throws(Failure) {
        let file = try NewFile<Failure>(url)
        try body { (block) throws(Failure) in try file.write(block) }
        try file.finish()
    }
}

/// A new file that is written block by block.
package struct NewFile<Failure: FileSystemFailure> {
    private let url: URL
    private let handle: FileHandle

    /// - Parameters:
    ///   - url: A path at which there is nothing, not even a link.
    ///   - permissions: The most that the file gets; the process's mask may remove some.
    package init(_ url: URL, permissions: mode_t = 0o644) throws(Failure) {
        let descriptor = open(url.systemPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw Failure(FileSystemError(lastAt: url)) }
        self.url = url
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    package func write(_ block: Data) throws(Failure) {
        try mapping { try handle.write(contentsOf: block) }
    }

    /// Syncs the file and closes it.
    package func finish() throws(Failure) {
        try mapping {
            try handle.synchronize()
            try handle.close()
        }
    }

    private func mapping(_ work: () throws -> Void) throws(Failure) {
        do {
            try work()
        } catch {
            throw Failure(FileSystemError(error, at: url))
        }
    }
}
