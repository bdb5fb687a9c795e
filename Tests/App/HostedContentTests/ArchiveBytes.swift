import Foundation

/// ZIP archive that is assembled byte by byte, so that it can contain wrong values. Nothing is compressed.
struct ZipBytes {
    struct Entry {
        var name: [UInt8]
        var content: [UInt8]
        var mode: UInt32
        var flags = 0x800
        var method = 0
        /// Name in the local header, if it differs from the central directory.
        var localName: [UInt8]?
        var localFlags: Int?
        var localMethod: Int?
        var localLength: Int?
        /// Length in both headers; `nil` for the true one.
        var length: Int?
        var compressedLength: Int?
        var checksum: Int?
        var offset: Int?
        var extra: [UInt8] = []
        var localExtra: [UInt8] = []
        /// `true` for an entry with a header in the central directory only.
        var isOnlyInDirectory = false

        init(_ name: String, _ content: String = "", mode: UInt32 = 0o100644) {
            (self.name, self.content, self.mode) = (Array(name.utf8), Array(content.utf8), mode)
        }

        func with(_ change: (inout Entry) -> Void) -> Entry {
            var entry = self
            change(&entry)
            return entry
        }
    }

    var entries: [Entry]
    var before: [UInt8] = []
    var betweenEntriesAndDirectory: [UInt8] = []
    var after: [UInt8] = []
    var comment: [UInt8] = []
    var count: Int?
    var disk = 0
    var directoryOffset: Int?
    /// Number of entries and directory offset in the ZIP64 records; `nil` without these records.
    var zip64: (count: Int, offset: Int)?

    init(_ entries: [Entry]) { self.entries = entries }

    func with(_ change: (inout ZipBytes) -> Void) -> ZipBytes {
        var zip = self
        change(&zip)
        return zip
    }

    var bytes: [UInt8] {
        var bytes = before
        var directory: [UInt8] = []
        for entry in entries {
            let offset = entry.offset ?? bytes.count
            let checksum = entry.checksum ?? Self.crc32(entry.content)
            let length = entry.length ?? entry.content.count
            let compressedLength = entry.compressedLength ?? entry.content.count
            if !entry.isOnlyInDirectory {
                let name = entry.localName ?? entry.name
                bytes += Self.number(0x0403_4B50, 4) + Self.number(20, 2)
                bytes += Self.number(entry.localFlags ?? entry.flags, 2)
                bytes += Self.number(entry.localMethod ?? entry.method, 2) + Self.number(0x0021_0000, 4)
                bytes += Self.number(checksum, 4) + Self.number(compressedLength, 4)
                bytes += Self.number(entry.localLength ?? length, 4) + Self.number(name.count, 2)
                bytes += Self.number(entry.localExtra.count, 2) + name + entry.localExtra + entry.content
            }
            directory += Self.number(0x0201_4B50, 4) + Self.number(0x0314, 2) + Self.number(20, 2)
            directory += Self.number(entry.flags, 2) + Self.number(entry.method, 2) + Self.number(0x0021_0000, 4)
            directory += Self.number(checksum, 4) + Self.number(compressedLength, 4) + Self.number(length, 4)
            directory += Self.number(entry.name.count, 2) + Self.number(entry.extra.count, 2)
            directory += Self.number(0, 6) + Self.number(Int(entry.mode) << 16, 4) + Self.number(offset, 4)
            directory += entry.name + entry.extra
        }
        bytes += betweenEntriesAndDirectory
        let offset = bytes.count
        bytes += directory
        let end = bytes.count
        if let zip64 {
            bytes += Self.number(0x0606_4B50, 4) + Self.number(44, 8) + Self.number(0x0314_002D, 4) + Self.number(0, 8)
            bytes += Self.number(zip64.count, 8) + Self.number(zip64.count, 8) + Self.number(directory.count, 8)
            bytes += Self.number(zip64.offset, 8)
            bytes += Self.number(0x0706_4B50, 4) + Self.number(0, 4) + Self.number(end, 8) + Self.number(1, 4)
        }
        bytes += Self.number(0x0605_4B50, 4) + Self.number(disk, 2) + Self.number(0, 2)
        bytes += Self.number(count ?? entries.count, 2) + Self.number(count ?? entries.count, 2)
        bytes += Self.number(directory.count, 4) + Self.number(directoryOffset ?? offset, 4)
        bytes += Self.number(comment.count, 2) + comment
        return bytes + after
    }

    static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> (8 * $0)) : 0 }
    }

    static func crc32(_ bytes: [UInt8]) -> Int {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return Int(~crc)
    }
}

/// TAR archive that is assembled byte by byte, so that it can contain wrong values.
struct TarBytes {
    var bytes: [UInt8] = []

    init(_ parts: [UInt8]..., end: Int = 1_024) {
        bytes = parts.flatMap(\.self) + [UInt8](repeating: 0, count: end)
    }

    static func entry(
        _ name: String, _ content: String = "", type: Character = "0", mode: Int = 0o644, link: String = "",
        length: Int? = nil
    ) -> [UInt8] {
        let content = Array(content.utf8)
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: String, at offset: Int) {
            header.replaceSubrange(offset..<(offset + text.utf8.count), with: text.utf8)
        }
        func octal(_ value: Int, digits: Int) -> String {
            let text = String(value, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        put(name, at: 0)
        put(octal(mode, digits: 7), at: 100)
        put(octal(0, digits: 7), at: 108)
        put(octal(0, digits: 7), at: 116)
        put(octal(length ?? content.count, digits: 11), at: 124)
        put(octal(315_532_800, digits: 11), at: 136)
        put("        ", at: 148)
        put(String(type), at: 156)
        put(link, at: 157)
        put("ustar", at: 257)
        put("00", at: 263)
        put(octal(header.reduce(0) { $0 + Int($1) }, digits: 6) + "\0 ", at: 148)
        return header + content + [UInt8](repeating: 0, count: (512 - content.count % 512) % 512)
    }

    /// Returns an entry as the first Unix systems wrote it, without the fields of ustar.
    static func unix(_ name: String, _ content: String) -> [UInt8] {
        var entry = entry(name, content, type: "\0")
        entry.replaceSubrange(257..<512, with: [UInt8](repeating: 0, count: 255))
        writeChecksum(&entry)
        return entry
    }

    /// Writes the checksum of the header at the beginning of an entry.
    private static func writeChecksum(_ entry: inout [UInt8]) {
        let checksum = 148..<156
        entry.replaceSubrange(checksum, with: "        ".utf8)
        let digits = String(entry.prefix(512).reduce(0) { $0 + Int($1) }, radix: 8)
        let text = String(repeating: "0", count: 6 - digits.count) + digits + "\0 "
        entry.replaceSubrange(checksum, with: text.utf8)
    }

    /// Returns a pax header, whose values replace those of the next entry.
    static func pax(_ values: [(String, String)]) -> [UInt8] {
        let records = values.map { key, value in
            let rest = " \(key)=\(value)\n"
            var length = rest.utf8.count + 1
            while String(length).utf8.count + rest.utf8.count != length { length += 1 }
            return "\(length)\(rest)"
        }
        return entry("PaxHeader", records.joined(), type: "x")
    }

    /// Returns a sparse file in the old GNU format, with a number of extension blocks that list its holes.
    static func sparse(_ name: String, blocks: Int) -> [UInt8] {
        var header = entry(name, type: "S")
        // One byte and a hole, again and again.
        let hole = Array("00000000001\000000000001\0".utf8)
        let (magic, firstHole, hasMore) = (257, 386, 482)
        header.replaceSubrange(firstHole..<(firstHole + hole.count), with: hole)
        header.replaceSubrange(magic..<(magic + 8), with: "ustar  \0".utf8)
        header[hasMore] = 1
        writeChecksum(&header)
        let block = (0..<21).flatMap { _ in hole } + [1] + [UInt8](repeating: 0, count: 7)
        return header + (0..<blocks).flatMap { _ in block }
    }
}
