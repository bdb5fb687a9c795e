package import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// Format of an archive, recognized by its first bytes.
enum ArchiveKind: Sendable, Hashable {
    case zip, tar, gzippedTar
    /// Tar in a compression for which a codec is needed.
    case compressedTar(TarCompression)
    /// Apple's XAR format of `.pkg` files, which is recognized but not supported.
    case xar

    /// Recognizes the format of an archive.
    ///
    /// - Parameter start: The first bytes of the archive's file.
    /// - Returns: `nil` for any other format.
    init?(start: [UInt8]) {
        switch start {
        case _ where start.starts(with: [0x50, 0x4B, 0x03, 0x04]): self = .zip
        case _ where start.starts(with: "xar!".utf8): self = .xar
        case _ where start.starts(with: [0x1F, 0x8B]): self = .gzippedTar
        case _ where start.starts(with: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]): self = .compressedTar(.xz)
        case _ where start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]): self = .compressedTar(.zstandard)
        case _ where TarHeader.isHeader(start): self = .tar
        default: return nil
        }
    }

    /// Number of bytes at the start of a file that are needed to recognize its format.
    static let startLength = TarHeader.length
}

/// Compression of a tar archive as a whole that apps on Apple's systems cannot read.
package enum TarCompression: String, Sendable, Hashable, CaseIterable {
    case xz
    case zstandard = "zstd"

    /// Recognizes the compression of an archive by the name of its file.
    init?(nameOfFile name: String) {
        guard let found = Self.allCases.first(where: { name.lowercased().hasSuffix($0.fileExtension) }) else {
            return nil
        }
        self = found
    }

    /// Extension of the names of files.
    private var fileExtension: String {
        switch self {
        case .xz: ".xz"
        case .zstandard: ".zst"
        }
    }
}

/// Compression of tars that the library lacks, because Apple's systems have no public library for it. Tools add it.
package protocol TarCodec: Sendable {
    /// Extension of the names of archives that the codec writes.
    var fileExtension: String { get }

    /// Opens a compressed file.
    ///
    /// - Returns: Decompressed bytes of the whole file. No bytes may follow the compressed ones.
    /// - Throws: ``ContentError``: `invalidPackage` if the file is not compressed in this way, `storage`.
    func decompress(_ file: ArchiveFile, _ compression: TarCompression) throws(ContentError) -> any ByteStream

    /// Creates an archive.
    ///
    /// - Parameter url: A path where no file exists yet.
    /// - Throws: ``ContentError``: `storage`, `noSpace`.
    func writer(_ url: URL) throws(ContentError) -> any ArchiveWriter
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
package protocol ArchiveWriter: AnyObject {
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
package struct ArchiveFile {
    package let url: URL
    private let handle: FileHandle
    /// Length of the file in bytes.
    package let length: Int

    package var descriptor: Int32 { handle.fileDescriptor }

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

    /// Reads bytes at an offset of the file into a buffer.
    ///
    /// - Returns: Number of bytes that were read: fewer than the buffer has only at the end of the file.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ContentError) -> Int {
        var count = 0
        while count < buffer.count {
            let read = pread(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count, offset + count)
            guard read >= 0 else {
                if errno == EINTR { continue }
                throw ContentError(lastAt: url)
            }
            guard read > 0 else { break }
            count += read
        }
        return count
    }

    /// Reads the given number of bytes at an offset of the file.
    ///
    /// - Returns: Bytes that were read: fewer than requested at the end of the file.
    func read(at offset: Int, count: Int) throws(ContentError) -> [UInt8] {
        guard offset >= 0, offset < length else { return [] }
        var bytes = [UInt8](repeating: 0, count: min(count, length - offset))
        let read: Result<Int, ContentError> = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(ContentError) in try self.read(at: offset, into: buffer) }
        }
        return Array(bytes.prefix(try read.get()))
    }

    /// Decodes the name of an entry.
    ///
    /// - Throws: `invalidPackage` for bytes that are not UTF-8.
    func name(_ bytes: [UInt8]) throws(ContentError) -> String {
        let name = String(decoding: bytes, as: UTF8.self)
        // Decoding has replaced what is not UTF-8.
        guard name.utf8.elementsEqual(bytes) else { throw error("the archive holds a name that is not UTF-8") }
        return name
    }

    /// Returns the error of an invalid archive.
    ///
    /// - Parameter reason: What is wrong with the archive, as the rest of a sentence about it.
    package func error(_ reason: String) -> ContentError { .invalidPackage("\(url.relativePath): \(reason)") }
}
