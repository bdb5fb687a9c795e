package import Foundation
internal import SystemPackage

/// Reads files of unknown size and content.
package enum BoundedFile {
    /// Reads a regular file, but at most one byte more than the limit, so that the caller can detect a file that is too
    /// large. Links are followed. The paths `/dev/stdin` and `/dev/fd/N` refer to open file descriptors of this
    /// process, of any type.
    package static func read(_ url: URL, limit: Int) throws(FileSystemError) -> Data {
        let file = try open(url)
        let most = min(limit, Int.max - 1) + 1
        var data = Data()
        while data.count < most {
            let size = min(1 << 20, most - data.count)
            let block = try block(of: size, from: file, at: url)
            data.append(contentsOf: block)
            guard block.count == size else { break }
        }
        return data
    }

    /// Reads a file like ``read(_:limit:)`` into an array, without copying it from a `Data`.
    package static func bytes(_ url: URL, limit: Int) throws(FileSystemError) -> [UInt8] {
        let file = try open(url)
        var status = stat()
        guard fstat(file.fileDescriptor, &status) == 0 else { throw FileSystemError(lastAt: url) }
        var bytes: [UInt8] = []
        // A block that is not filled is the last one. The length is not known in advance: a file may grow, and a pipe
        // has no length.
        var blockSize = min(Int(status.st_size), limit) + 1
        while true {
            let block = try block(of: blockSize, from: file, at: url)
            bytes = bytes.isEmpty ? block : bytes + block
            guard block.count == blockSize, bytes.count <= limit else { return bytes }
            blockSize = min(1 << 20, limit - bytes.count + 1)
        }
    }

    private static func block(of size: Int, from file: FileHandle, at url: URL) throws(FileSystemError) -> [UInt8] {
        var failure: FileSystemError?
        let block = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let read = Foundation.read(file.fileDescriptor, buffer.baseAddress.map { $0 + count }, size - count)
                if read < 0, StandardStream.isWorthRepeating(file.fileDescriptor, for: POLLIN) { continue }
                if read < 0 { failure = FileSystemError(lastAt: url) }
                guard read > 0 else { return }
                count += read
            }
        }
        if let failure { throw failure }
        return block
    }

    private static func open(_ url: URL) throws(FileSystemError) -> FileHandle {
        let path = url.systemPath
        if let own = ownDescriptor(path) {
            let descriptor = fcntl(own, F_DUPFD_CLOEXEC, 0)
            guard descriptor >= 0 else { throw FileSystemError(lastAt: url) }
            return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }
        // Without O_NONBLOCK, opening a pipe would wait for a process that writes to it.
        let descriptor = Foundation.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            guard errno == ENOENT else { throw FileSystemError(lastAt: url) }
            throw FileSystemError(.notFound, at: url, reason: "there is no such file")
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileSystemError(lastAt: url) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return file
        case S_IFDIR: throw FileSystemError(.unusable, at: url, reason: Errno.isDirectory.reason)
        default: throw FileSystemError(.unusable, at: url, reason: "not a regular file")
        }
    }

    /// Returns the file descriptor in a path such as `/dev/fd/3`; `nil` for another path.
    private static func ownDescriptor(_ path: String) -> CInt? {
        if path == "/dev/stdin" { return STDIN_FILENO }
        let prefix = "/dev/fd/"
        return path.hasPrefix(prefix) ? CInt(path.dropFirst(prefix.count)) : nil
    }

    /// Reads standard input, but at most one byte more than the limit.
    package static func readStandardInput(limit: Int) throws(FileSystemError) -> Data {
        try read(URL(filePath: "/dev/stdin"), limit: limit)
    }

    /// Returns `true` if the file at a URL does not exist, cannot be accessed, or is empty.
    package static func isMissingOrEmpty(_ url: URL) -> Bool { FileStatus(url)?.length ?? 0 == 0 }

    /// Returns a short description of an error, as the rest of a sentence. It contains no message of the operating
    /// system.
    package static func reason(for error: any Error) -> String {
        if let error = error as? FileSystemError { return error.reason }
        if let errno = Errno(causing: error) { return errno.reason }
        if error is DecodingError {
            return "the file does not have the format in which this version of Vitrine writes it"
        }
        let error = error as NSError
        return "the system reports error \(error.code) of \(error.domain)"
    }
}

/// Reads and writes files block by block, without following links.
package enum FileBlocks {
    private static let blockSize = 1024 * 1024

    /// Calls a function with each block of a regular file, in order.
    package static func read<Failure: FileSystemFailure>(
        _ url: URL, _ body: (Data) throws(Failure) -> Void
    ) throws(Failure) {
        // Without O_NONBLOCK, opening would wait forever if a pipe has replaced the file.
        let descriptor = open(url.systemPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(FileSystemError(lastAt: url)) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Failure(FileSystemError(lastAt: url)) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(FileSystemError(.unusable, at: url, reason: "there is no regular file at this path"))
        }
        while let block = try next(of: file, at: url, Failure.self) { try body(block) }
    }

    /// Reads the next block of a file.
    ///
    /// - Returns: `nil` at the end of the file.
    private static func next<Failure: FileSystemFailure>(
        of file: FileHandle, at url: URL, _: Failure.Type
    ) throws(Failure) -> Data? {
        guard !Task.isCancelled else {
            throw Failure(FileSystemError(.cancelled, at: url, reason: "reading the file was cancelled"))
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
    /// - Parameter body: Function that writes the content by calling its argument with each block.
    package static func write<Failure: FileSystemFailure>(
        _ url: URL, _ body: ((Data) throws(Failure) -> Void) throws(Failure) -> Void
    ) throws(Failure) {
        let file = try NewFile<Failure>(url)
        try body { (block) throws(Failure) in try file.write(block) }
        try file.finish()
    }
}

/// New file that is written block by block.
package struct NewFile<Failure: FileSystemFailure> {
    private let url: URL
    private let handle: FileHandle

    /// Creates an empty file and opens it for writing.
    ///
    /// - Parameters:
    ///   - url: Path of the new file. Neither a file nor a link may exist there.
    ///   - permissions: Permissions of the new file. The file mode creation mask of the process (`umask`) may remove
    ///     some.
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
