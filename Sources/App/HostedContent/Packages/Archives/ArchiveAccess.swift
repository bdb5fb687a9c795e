internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// Format of an archive, recognized by its first bytes.
enum ArchiveKind: Sendable, Hashable {
    case zip
    /// Tar, compressed as a whole by the given method; `nil` for a tar that is not compressed.
    case tar(TarCompression?)
    /// Apple's XAR format of `.pkg` files, which is recognized but not supported.
    case xar

    /// Recognizes the format of an archive.
    ///
    /// - Parameter start: The first bytes of the archive's file.
    /// - Returns: `nil` for any other format.
    init?(start: [UInt8]) {
        let tarMagic = 257..<262
        switch start {
        case _ where start.starts(with: [0x50, 0x4B, 0x03, 0x04]): self = .zip
        case _ where start.starts(with: "xar!".utf8): self = .xar
        case _ where start.starts(with: [0x1F, 0x8B]): self = .tar(.gzip)
        case _ where start.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]): self = .tar(.xz)
        case _ where start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]): self = .tar(.zstandard)
        case _ where start.count >= tarMagic.upperBound && start[tarMagic].elementsEqual("ustar".utf8):
            self = .tar(nil)
        default: return nil
        }
    }

    /// Number of bytes at the start of a file that are needed to recognize its format.
    static let startLength = 262
}

/// Compression of a tar archive as a whole.
enum TarCompression: Sendable, Hashable {
    case gzip, xz, zstandard
}

/// An entry of an archive, as the archive describes it.
struct ArchiveEntry {
    enum Kind: Equatable {
        /// File with its length in bytes; `nil` if the archive does not state the length.
        case file(length: Int?, isExecutable: Bool)
        case folder
        /// Entry of a type that packages must not contain, with a description such as "is a symbolic link".
        case refused(String)
    }

    let path: String
    let kind: Kind
}

/// Reader of an archive from its beginning to its end, one entry after the other.
protocol ArchiveReader: AnyObject {
    /// Reads the header of the next entry.
    ///
    /// - Returns: `nil` at the end of the archive.
    /// - Throws: ``ContentError``: `invalidPackage` for a damaged archive, `storage` if it cannot be read.
    func next() throws(ContentError) -> ArchiveEntry?

    /// Calls a function with each block of the content of the entry that ``next()`` returned last.
    ///
    /// - Throws: ``ContentError``, as ``next()`` does, and the error of the body.
    func readContent(_ body: (UnsafeRawBufferPointer) throws(ContentError) -> Void) throws(ContentError)
}

/// Writer of an archive whose bytes depend only on its entries: it contains no times, no owners, and no other data
/// about the machine that writes it.
protocol ArchiveWriter: AnyObject {
    func addFolder(_ path: String) throws(ContentError)

    /// Writes a file and its content as the next entry.
    ///
    /// - Parameter content: Function that calls its argument with each block of the file's content; all blocks together
    ///   must have the given length.
    func addFile(
        _ path: String, length: Int, isExecutable: Bool,
        _ content: ((Data) throws(ContentError) -> Void) throws(ContentError) -> Void
    ) throws(ContentError)

    /// Writes the end of the archive, and syncs its file to disk.
    func finish() throws(ContentError)
}

/// A file that is open for reading at any position.
struct ArchiveFile {
    let url: URL
    let handle: FileHandle
    /// Length of the file in bytes.
    let length: Int

    /// Opens a file for reading, without following a link.
    ///
    /// - Throws: ``ContentError``: `notFound` if there is no file, `invalidPackage` if it is not a regular file,
    ///   `storage`.
    init(_ url: URL) throws(ContentError) {
        // Without O_NONBLOCK, opening a pipe would wait forever.
        let descriptor = open(url.systemPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT {
                throw ContentError(code: .notFound, reason: "\(url.relativePath): there is no such file")
            }
            if errno == ELOOP {
                throw .invalidPackage("\(url.relativePath) is a symbolic link")
            }
            throw ContentError(lastAt: url)
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ContentError(lastAt: url) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .invalidPackage("\(url.relativePath) is not a regular file")
        }
        self.url = url
        length = Int(status.st_size)
    }

    /// Reads the given number of bytes at an offset of the file.
    ///
    /// - Returns: Bytes that were read: fewer than requested at the end of the file.
    func read(at offset: Int, count: Int) throws(ContentError) -> [UInt8] {
        do {
            try handle.seek(toOffset: UInt64(max(0, offset)))
            return Array(try handle.read(upToCount: count) ?? Data())
        } catch {
            throw ContentError(error, at: url)
        }
    }
}
