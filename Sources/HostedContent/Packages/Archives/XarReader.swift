internal import Crypto
internal import Foundation
internal import ProductCatalog

/// Reads a xar, as Apple's packages are.
///
/// libarchive reads them too, but whatever memory their tables of contents ask for, and it shuts libxml2 down afterwards
/// under whoever reads XML at that moment on another thread.
final class XarReader: ArchiveReader {
    private let file: ArchiveFile
    private let layout: XarLayout
    private var index = -1

    init(_ file: ArchiveFile, limits: ContentLimits) throws(ContentError) {
        self.file = file
        layout = try XarLayout(file, limits: limits)
    }

    func next() throws(ContentError) -> ArchiveEntry? {
        index += 1
        guard index < layout.contents.entries.count else { return nil }
        let entry = layout.contents.entries[index]
        return ArchiveEntry(path: entry.path, kind: try kind(of: entry))
    }

    private func kind(of entry: XarContents.Entry) throws(ContentError) -> ArchiveEntry.Kind {
        switch entry.type {
        case "file":
            guard let mode = entry.mode.map({ Int($0, radix: 8) }) ?? 0 else {
                throw error("\(entry.path.quoted) has a mode that is none")
            }
            return .file(length: entry.data.length ?? 0, isExecutable: mode & 0o100 != 0)
        case "directory": return .folder
        case "symlink": return .refused("is a symbolic link")
        case "hardlink": return .refused("is a hard link")
        default: return .refused("is neither a file nor a folder")
        }
    }

    func readContent(_ body: (UnsafeRawBufferPointer) throws(ContentError) -> Void) throws(ContentError) {
        let entry = layout.contents.entries[index]
        let (data, name) = (entry.data, entry.path.quoted)
        guard data.length ?? 0 > 0 || data.storedLength ?? 0 > 0 else { return }
        guard let length = data.length, let storedLength = data.storedLength, let offset = data.offset else {
            throw error("\(name) does not say where its content is")
        }
        let (end, overflows) = offset.addingReportingOverflow(storedLength)
        guard !overflows, end <= file.length - layout.heap else { throw error("\(name) is cut off") }
        var checksum = try checksum(of: data, name)
        var count = 0
        try file.pass(
            at: layout.heap + offset, length: storedLength, isCompressed: try isCompressed(data, name)
        ) { reason in
            error("\(name) \(reason)")
        } _: { (block) throws(ContentError) in
            count += block.count
            guard count <= length else { throw error("\(name) is longer than it says") }
            checksum?.update(block)
            try body(block)
        }
        guard count == length else { throw error("\(name) is shorter than it says") }
        guard checksum?.isMet ?? true else { throw error("\(name) has another checksum than its own") }
    }

    private func isCompressed(_ data: XarContents.Data, _ name: String) throws(ContentError) -> Bool {
        switch data.encoding {
        case nil, "application/octet-stream": false
        // It is zlib's format, whatever the name says.
        case "application/x-gzip": true
        default: throw error("\(name) is compressed in a way that is not read")
        }
    }

    private func checksum(of data: XarContents.Data, _ name: String) throws(ContentError) -> XarChecksum? {
        guard let expected = data.checksum else { return nil }
        guard let checksum = XarChecksum(style: data.checksumStyle ?? "", expected: expected) else {
            throw error("\(name) has a checksum of a kind that is not known")
        }
        return checksum
    }

    private func error(_ reason: String) -> ContentError {
        ContentError(code: .invalidPackage, reason: "\(file.url.relativePath): \(reason)")
    }
}

/// The checksum that a xar has of a file's content. It proves nothing, and finds damage.
private struct XarChecksum {
    private var hash: any HashFunction
    private let expected: String

    init?(style: String, expected: String) {
        switch style.lowercased() {
        case "sha1": hash = Insecure.SHA1()
        case "md5": hash = Insecure.MD5()
        case "sha256": hash = SHA256()
        case "sha512": hash = SHA512()
        default: return nil
        }
        self.expected = expected.lowercased()
    }

    mutating func update(_ block: UnsafeRawBufferPointer) { hash.update(bufferPointer: block) }

    var isMet: Bool { ContentDigest.text(hash.finalize()) == expected }
}
