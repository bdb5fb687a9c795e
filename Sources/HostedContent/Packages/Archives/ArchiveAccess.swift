internal import Foundation

/// Format of an archive, recognized by its first bytes.
enum ArchiveKind: Sendable, Hashable {
    case zip
    /// - Parameter compression: `nil` for none.
    case tar(TarCompression?)
    /// Apple's `.pkg` files, which are not read.
    case xar

    /// - Parameter start: The first bytes of the file.
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

    /// Number of bytes by which the format is recognized.
    static let startLength = 262
}

/// Compression of a whole tar.
enum TarCompression: Sendable, Hashable {
    case gzip, xz, zstandard
}

/// An entry of an archive, as the archive describes it.
struct ArchiveEntry {
    enum Kind: Equatable {
        /// - Parameter length: In bytes; `nil` if the archive does not state it.
        case file(length: Int?, isExecutable: Bool)
        case folder
        /// Entry of a type that packages must not hold, with a description.
        case refused(String)
    }

    let path: String
    let kind: Kind
}

/// Reads an archive from its beginning to its end, one entry after the other.
protocol ArchiveReader: AnyObject {
    /// - Returns: `nil` at the end.
    /// - Throws: ``ContentError``: `invalidPackage` for a damaged archive, `storage` if it cannot be read.
    func next() throws(ContentError) -> ArchiveEntry?

    /// Calls a function with each block of the last entry's content.
    ///
    /// - Throws: ``ContentError``, as ``next()`` does, and the error of the body.
    func readContent(_ body: (UnsafeRawBufferPointer) throws(ContentError) -> Void) throws(ContentError)
}

/// Writes an archive that depends only on its entries: no times, no owners, nothing of the machine.
protocol ArchiveWriter: AnyObject {
    func addFolder(_ path: String) throws(ContentError)

    /// - Parameter content: Calls its argument with each block; the blocks must have the length together.
    func addFile(
        _ path: String, length: Int, isExecutable: Bool,
        _ content: ((Data) throws(ContentError) -> Void) throws(ContentError) -> Void
    ) throws(ContentError)

    /// Writes the end, and syncs the file.
    func finish() throws(ContentError)
}
