internal import CVitrineZlib
internal import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Reader of a zip's entries, stored or compressed with deflate, in the order of their positions.
final class ZipReader: ArchiveReader {
    private let file: ArchiveFile
    private let entries: [ZipEntry]
    private var index = 0
    /// Entry whose content was not read yet.
    private var current: ZipEntry?
    private let stored: FileBytes
    private let inflated: InflatedBytes

    /// Creates a reader.
    ///
    /// - Parameter entries: Entries that ``ZipLayout`` found in the file.
    init(_ file: ArchiveFile, _ entries: [ZipEntry]) throws(ContentError) {
        (self.file, self.entries) = (file, entries)
        stored = FileBytes(file, 0..<0)
        inflated = try InflatedBytes(.deflate, of: file, FileBytes(file, 0..<0))
    }

    func next() throws(ContentError) -> ArchiveEntry? {
        guard index < entries.count else { return nil }
        let entry = entries[index]
        index += 1
        current = entry
        return ArchiveEntry(
            path: entry.name,
            kind: entry.isFolder ? .folder : .file(length: entry.length, isExecutable: entry.isExecutable))
    }

    func readContent(_ body: (UnsafeRawBufferPointer) throws(ContentError) -> Void) throws(ContentError) {
        guard let entry = current else { return }
        current = nil
        let bytes: any ByteStream
        if entry.isDeflated {
            inflated.start(entry.content)
            bytes = inflated
        } else {
            stored.start(entry.content)
            bytes = stored
        }
        var (checksum, count) = (crc32(0, nil, 0), 0)
        while case let block = try bytes.next(), !block.isEmpty {
            count += block.count
            guard count <= entry.length else {
                throw file.error("\(entry.name.quoted) is longer than the archive states")
            }
            checksum = crc32(checksum, block.baseAddress?.assumingMemoryBound(to: Bytef.self), uInt(block.count))
            try body(block)
        }
        guard count == entry.length else {
            throw file.error("\(entry.name.quoted) is shorter than the archive states")
        }
        guard Int(checksum) == entry.checksum else {
            throw file.error("\(entry.name.quoted) is damaged: its checksum differs from the one that the zip states")
        }
    }
}

/// Entry of a zip, as its two descriptions agree on it.
struct ZipEntry {
    let name: String
    let isFolder: Bool
    let isExecutable: Bool
    /// `true` for content that is compressed with deflate, `false` for content that is stored.
    let isDeflated: Bool
    /// Positions of the entry's bytes in the file.
    let content: Range<Int>
    /// Length of the entry in bytes, when decompressed.
    let length: Int
    /// CRC-32 of the decompressed bytes.
    let checksum: Int
}
