internal import VitrineSupport

/// Format of a property list file.
public enum PropertyListFormat: String, Sendable, Hashable, CaseIterable {
    case xml, binary, json

    /// Detects the format of a file from its first bytes.
    ///
    /// - Throws: ``PropertyListError`` for an empty file, and for a file in another known binary format, such as a zip
    ///   archive. The error names the format.
    package static func of(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListFormat {
        guard !bytes.isEmpty else { throw PropertyListError(code: .empty, reason: "the file is empty") }
        if bytes.starts(with: "bplist".utf8) { return .binary }
        if let format = foreignBinaryFormat(of: bytes) { throw foreign(format.name, format.advice) }
        return isJSON(bytes) ? .json : .xml
    }

    /// Returns `true` if a UTF-8 text begins like a JSON object or array, and not like an old-style property list, in
    /// which `=` or `;` follows the first key. Comments before the first key or value are skipped: the reader of JSON
    /// refuses them with their position.
    private static func isJSON(_ bytes: [UInt8]) -> Bool {
        var index = bytes.starts(with: TextEncoding.utf8Mark) ? TextEncoding.utf8Mark.count : 0
        // Xcode begins its old-style property lists with this comment.
        guard !bytes[index...].starts(with: "// !$*UTF8*$!".utf8) else { return false }
        func byte() -> UInt8? { index < bytes.count ? bytes[index] : nil }
        func skip(while isSkipped: (UInt8) -> Bool) {
            while let byte = byte(), isSkipped(byte) { index += 1 }
        }
        func skipComments() {
            skip(while: \.isXMLSpace)
            while index + 1 < bytes.count, byte() == UInt8(ascii: "/") {
                switch bytes[index + 1] {
                case UInt8(ascii: "/"): skip { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
                case UInt8(ascii: "*"):
                    index += 2
                    while index + 1 < bytes.count,
                        bytes[index] != UInt8(ascii: "*") || bytes[index + 1] != UInt8(ascii: "/")
                    {
                        index += 1
                    }
                    index += 2
                default: return
                }
                skip(while: \.isXMLSpace)
            }
        }
        skipComments()
        guard byte() == UInt8(ascii: "{") else { return byte() == UInt8(ascii: "[") }
        index += 1
        skipComments()
        if byte() == UInt8(ascii: "\"") {
            index += 1
            while let byte = byte(), byte != UInt8(ascii: "\"") { index += byte == UInt8(ascii: "\\") ? 2 : 1 }
            index += 1
        } else {
            skip(while: \.isOldStyleCharacter)
        }
        skip(while: \.isXMLSpace)
        return byte() != UInt8(ascii: "=") && byte() != UInt8(ascii: ";")
    }

    /// Checks that a UTF-8 text begins like XML.
    ///
    /// - Throws: ``PropertyListError`` `unsupportedFormat` for a text in another format. The error names the format.
    static func checkText(_ utf8: [UInt8]) throws(PropertyListError) {
        let content = utf8.dropFirst(utf8.starts(with: TextEncoding.utf8Mark) ? TextEncoding.utf8Mark.count : 0)
            .drop(while: \.isXMLSpace)
        guard let first = content.first else { throw foreign("empty except for white space") }
        let start = String(decoding: content.prefix(15), as: UTF8.self).lowercased()
        if start.hasPrefix("<!doctype html") || start.hasPrefix("<html") {
            throw foreign("an HTML page", "it may be an error page of a web server")
        }
        let isOldStyleComment = start.hasPrefix("//") || start.hasPrefix("/*")
        let isOldStyleData = first == UInt8(ascii: "<") && content.dropFirst().first.map(\.isDigit) == true
        guard !isOldStyleComment || isJSON(utf8), !isOldStyleData else {
            throw foreign("an old-style property list", "convert it with plutil -convert xml1")
        }
        switch first {
        case UInt8(ascii: "<"): return
        case _ where isJSON(utf8):
            throw PropertyListError(
                code: .unsupportedEncoding, reason: "the file is JSON in another encoding than UTF-8; save it as UTF-8")
        case UInt8(ascii: "{"), UInt8(ascii: "("):
            throw foreign("an old-style property list", "convert it with plutil -convert xml1")
        default: throw foreign("plain text")
        }
    }

    private static func foreignBinaryFormat(of bytes: [UInt8]) -> (name: String, advice: String?)? {
        switch bytes {
        case _ where bytes.starts(with: [0x1F, 0x8B]): ("compressed with gzip", "decompress it first")
        case _ where bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]): ("a zip archive", nil)
        case _ where bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]): ("compressed with zstd", "decompress it first")
        // PNG, JPEG, GIF, and WebP in a container of RIFF.
        case _ where bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]), _ where bytes.starts(with: [0xFF, 0xD8, 0xFF]),
            _ where bytes.starts(with: "GIF8".utf8),
            _ where bytes.starts(with: "RIFF".utf8) && bytes.dropFirst(8).starts(with: "WEBP".utf8):
            ("an image", nil)
        default: nil
        }
    }

    private static func foreign(_ name: String, _ advice: String? = nil) -> PropertyListError {
        PropertyListError(
            code: .unsupportedFormat,
            reason: "the file is \(name), not a property list in XML, binary or JSON" + (advice.map { "; \($0)" } ?? "")
        )
    }
}

extension UInt8 {
    /// `true` if the byte is part of a key without quotation marks in an old-style property list.
    fileprivate var isOldStyleCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "/"),
            UInt8(ascii: "."), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
