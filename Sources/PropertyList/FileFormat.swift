/// Tells an XML text from the other things that are found in files called `.plist`.
enum FileFormat {
    static let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The XML text of a file, as UTF-8.
    static func xmlText(of bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
        guard !bytes.isEmpty else { throw PropertyListError(code: .empty, reason: "the file is empty") }
        let isUTF32 = bytes.starts(with: [0xFF, 0xFE, 0, 0])
        if !isUTF32, bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return try xmlText(ofUTF16: bytes)
        }
        guard !bytes.prefix(4).contains(0) else {
            throw PropertyListError(
                code: .unsupportedEncoding,
                reason: "the text seems to be UTF-16 without byte order mark, or UTF-32; save the file as UTF-8")
        }
        try checkFormat(bytes)
        try checkEncoding(bytes)
        try TagScan.checkLengths(bytes)
        return bytes
    }

    private static func xmlText(ofUTF16 bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
        let isBigEndian = bytes[0] == 0xFE
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        guard bytes.count.isMultiple(of: 2), let text = String(validating: units, as: UTF16.self) else {
            throw PropertyListError(code: .unsupportedEncoding, reason: "the text is not valid UTF-16")
        }
        let utf8 = Array(text.utf8)
        try checkFormat(utf8)
        try TagScan.checkLengths(utf8)
        return utf8
    }

    private static func checkFormat(_ bytes: [UInt8]) throws(PropertyListError) {
        if let name = foreignFormat(of: bytes) {
            throw PropertyListError(
                code: .unsupportedFormat,
                reason: "the file is \(name), not an XML property list"
            )
        }
    }

    private static func foreignFormat(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: "bplist".utf8) {
            return "a binary property list, which is not read yet (plutil -convert xml1 makes it XML)"
        }
        if bytes.starts(with: [0x1F, 0x8B]) { return "compressed with gzip" }
        let content = bytes.dropFirst(bytes.starts(with: utf8Mark) ? utf8Mark.count : 0)
            .drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first = content.first else { return "empty but for white space" }
        let start = String(decoding: content.prefix(15), as: UTF8.self).lowercased()
        if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") { return "an HTML page" }
        return switch first {
        case UInt8(ascii: "<"): nil
        case UInt8(ascii: "{"), UInt8(ascii: "["): "JSON or an old-style property list"
        default: "plain text"
        }
    }

    /// Refuses an encoding declaration other than UTF-8 and its subset ASCII.
    private static func checkEncoding(_ bytes: [UInt8]) throws(PropertyListError) {
        let head = bytes.prefix(256)
        guard let end = head.firstIndex(of: UInt8(ascii: ">")) else { return }
        let declaration = String(decoding: head[..<end], as: UTF8.self)
        let match = declaration.firstMatch(of: /<\?xml\s[^>]*encoding\s*=\s*["']([^"']*)["']/)
        guard let name = match?.1.lowercased(), !["utf-8", "utf8", "us-ascii", "ascii"].contains(name) else { return }
        throw PropertyListError(
            code: .unsupportedEncoding,
            reason: "the encoding \(name) is not read; save the file as UTF-8"
        )
    }
}
