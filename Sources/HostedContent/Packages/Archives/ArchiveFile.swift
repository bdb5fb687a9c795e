internal import FileSystem
internal import Foundation
internal import ProductCatalog

/// A file that is open for reading at any position.
struct ArchiveFile {
    let url: URL
    let handle: FileHandle
    /// In bytes.
    let length: Int

    /// - Throws: ``ContentError``: `notFound` if there is none, `invalidPackage` if it is no regular file, `storage`.
    init(_ url: URL) throws(ContentError) {
        // Without O_NONBLOCK, opening a pipe would wait forever.
        let descriptor = open(url.systemPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT {
                throw ContentError(code: .notFound, reason: "\(url.relativePath): there is no such file")
            }
            if errno == ELOOP {
                throw ContentError(code: .invalidPackage, reason: "\(url.relativePath) is a symbolic link")
            }
            throw ContentError(lastAt: url)
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ContentError(lastAt: url) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw ContentError(code: .invalidPackage, reason: "\(url.relativePath) is not a regular file")
        }
        self.url = url
        length = Int(status.st_size)
    }

    /// - Returns: Bytes from an offset on, fewer at the end of the file.
    func read(at offset: Int, count: Int) throws(ContentError) -> [UInt8] {
        do {
            try handle.seek(toOffset: UInt64(max(0, offset)))
            return Array(try handle.read(upToCount: count) ?? Data())
        } catch {
            throw ContentError(error, at: url)
        }
    }
}
