internal import CVitrineXML2
internal import VitrineSupport

/// Scope during which libxml2 writes no messages to standard error.
private enum QuietLibXML2 {
    static func run(_ work: () throws(PropertyListError) -> Void) throws(PropertyListError) {
        // The error handler is per thread, and the app may have set it. It is therefore restored afterwards.
        let handler = __xmlStructuredError().pointee
        let context = __xmlStructuredErrorContext().pointee
        xmlSetStructuredErrorFunc(nil) { _, _ in }
        defer { xmlSetStructuredErrorFunc(context, handler) }
        try work()
    }
}

/// Conversion of a text from its declared or detected encoding to UTF-8.
///
/// The encoding is detected from the byte order mark, then from the positions of zero bytes in UTF-16 and UTF-32, then
/// from the XML declaration (XML 1.0, appendix F). Encodings other than UTF-8, UTF-16 and UTF-32 are converted by
/// libxml2, which uses `iconv` for encodings that it does not implement.
package enum TextEncoding {
    static let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns a text converted to UTF-8 from its declared or detected encoding.
    ///
    /// - Throws: ``PropertyListError`` `unsupportedEncoding` for an unknown encoding, and for bytes that are not valid
    ///   in their declared encoding.
    package static func utf8(of bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
        if let (unit, markLength) = wideUnit(of: bytes) {
            return try unit.utf8(of: bytes.dropFirst(markLength))
        }
        guard let name = declaredName(in: bytes), !utf8Names.contains(name.lowercased()) else { return bytes }
        guard !bytes.starts(with: utf8Mark) else {
            throw PropertyListError(
                code: .unsupportedEncoding,
                reason: "the text declares the encoding \(name), but begins with the byte order mark of UTF-8")
        }
        return try utf8(of: bytes, encodedAs: name)
    }

    private static let utf8Names: Set<String> = ["utf-8", "utf8", "us-ascii", "ascii"]

    // MARK: UTF-16 and UTF-32

    private enum WideUnit {
        case utf16(isBigEndian: Bool)
        case utf32(isBigEndian: Bool)

        func utf8(of bytes: ArraySlice<UInt8>) throws(PropertyListError) -> [UInt8] {
            switch self {
            case .utf16(let isBigEndian):
                try Self.utf8(of: bytes, isBigEndian: isBigEndian, encodedAs: UTF16.self, "UTF-16")
            case .utf32(let isBigEndian):
                try Self.utf8(of: bytes, isBigEndian: isBigEndian, encodedAs: UTF32.self, "UTF-32")
            }
        }

        private static func utf8<Encoding: Unicode.Encoding>(
            of bytes: ArraySlice<UInt8>, isBigEndian: Bool, encodedAs encoding: Encoding.Type, _ name: String
        ) throws(PropertyListError) -> [UInt8] {
            let width = Encoding.CodeUnit.bitWidth / 8
            let starts = stride(from: bytes.startIndex, to: bytes.endIndex - width + 1, by: width)
            let units: [Encoding.CodeUnit] = starts.map { start in
                let unit = bytes[start..<(start + width)]
                return (isBigEndian ? Array(unit) : unit.reversed()).reduce(0) { $0 << 8 | Encoding.CodeUnit($1) }
            }
            guard bytes.count.isMultiple(of: width), let text = String(validUnits: units, as: encoding) else {
                throw PropertyListError(code: .unsupportedEncoding, reason: "the text is not valid \(name)")
            }
            return Array(text.utf8)
        }
    }

    /// Detects UTF-16 and UTF-32 by the first four bytes of a text.
    ///
    /// - Returns: The size and byte order of a code unit, and the length of the byte order mark; `nil` for a text in
    ///   neither UTF-16 nor UTF-32.
    private static func wideUnit(of bytes: [UInt8]) -> (WideUnit, markLength: Int)? {
        switch Array(bytes.prefix(4)) {
        case [0xFF, 0xFE, 0, 0]: (.utf32(isBigEndian: false), 4)
        case [0, 0, 0xFE, 0xFF]: (.utf32(isBigEndian: true), 4)
        case let start where start.starts(with: [0xFF, 0xFE]): (.utf16(isBigEndian: false), 2)
        case let start where start.starts(with: [0xFE, 0xFF]): (.utf16(isBigEndian: true), 2)
        case [0x3C, 0, 0, 0]: (.utf32(isBigEndian: false), 0)
        case [0, 0, 0, 0x3C]: (.utf32(isBigEndian: true), 0)
        case let start where start.count == 4 && start[0] == 0x3C && start[1] == 0: (.utf16(isBigEndian: false), 0)
        case let start where start.count == 4 && start[0] == 0 && start[1] == 0x3C: (.utf16(isBigEndian: true), 0)
        default: nil
        }
    }

    // MARK: Declared encodings

    private static let longestDeclaration = 256

    private static func declaredName(in bytes: [UInt8]) -> String? {
        let head = bytes.dropFirst(bytes.starts(with: utf8Mark) ? utf8Mark.count : 0).prefix(longestDeclaration)
        guard let end = head.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let declaration = String(decoding: head[..<end], as: UTF8.self)
        return declaration.hasPrefix("<?xml") ? declaration.prefixMatch(of: pattern).map { String($0.1) } : nil
    }

    // `nonisolated(unsafe)`, because `Regex` is not `Sendable`: it may contain closures. This one contains none, and
    // Swift stores its compiled form atomically. Compiling it for each text would take longer than reading most files.
    nonisolated(unsafe) private static let pattern = /<\?xml\s[^>]*encoding\s*=\s*["']([^"']*)["']/

    private static func utf8(of bytes: [UInt8], encodedAs name: String) throws(PropertyListError) -> [UInt8] {
        let failure = PropertyListError(
            code: .unsupportedEncoding, reason: "the text is not valid in its declared encoding, \(name)")
        // The text is not valid UTF-16 or UTF-32: these encodings are detected earlier, by the zero bytes in the
        // declaration.
        guard !name.lowercased().hasPrefix("utf-16"), !name.lowercased().hasPrefix("utf-32"),
            !name.lowercased().hasPrefix("ucs"), !name.lowercased().hasPrefix("iso-10646")
        else { throw failure }
        guard let handler = xmlFindCharEncodingHandler(name) else {
            throw PropertyListError(
                code: .unsupportedEncoding, reason: "the encoding \(name) is not supported; save the file as UTF-8")
        }
        defer { xmlCharEncCloseFunc(handler) }
        guard let input = xmlBufferCreateSize(bytes.count + 1), let output = xmlBufferCreateSize(bytes.count * 2 + 64)
        else { throw PropertyListError(code: .limitExceeded, reason: "there is not enough memory to convert the text") }
        defer {
            xmlBufferFree(input)
            xmlBufferFree(output)
        }
        guard xmlBufferAdd(input, bytes, Int32(bytes.count)) == 0 else { throw failure }
        try QuietLibXML2.run { () throws(PropertyListError) in
            while xmlBufferLength(input) > 0 {
                let before = xmlBufferLength(input)
                guard xmlCharEncInFunc(handler, output, input) >= 0, xmlBufferLength(input) < before,
                    xmlBufferLength(output) <= PropertyListLimits.largestSize
                else {
                    throw failure
                }
            }
        }
        guard let start = xmlBufferContent(output) else { throw failure }
        return Array(UnsafeBufferPointer(start: start, count: Int(xmlBufferLength(output))))
    }
}

/// Conversion of big-endian UTF-16, as used in binary property lists, to UTF-8.
enum UTF16Text {
    /// Appends UTF-16 text to a buffer, as UTF-8.
    ///
    /// - Returns: `true` if the text is valid: each surrogate is part of a pair.
    static func append(_ text: UnsafeBufferPointer<UInt8>, to utf8: inout [UInt8]) -> Bool {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: chunkSize) { chunk in
            var index = 0
            while index + 1 < text.count {
                var count = 0
                while index + 1 < text.count, count <= chunkSize - longestScalar {
                    if let four = fourInASCII(of: text, at: index) {
                        UnsafeMutableRawBufferPointer(chunk)
                            .storeBytes(of: four.bigEndian, toByteOffset: count, as: UInt32.self)
                        (index, count) = (index + 8, count + 4)
                        continue
                    }
                    let rest = UnsafeMutableBufferPointer(rebasing: chunk[count...])
                    guard let length = convert(text, at: &index, to: rest) else { return false }
                    count += length
                }
                utf8.append(contentsOf: UnsafeBufferPointer(rebasing: chunk[..<count]))
            }
            return true
        }
    }

    /// Number of bytes that are converted before they are appended, and the maximum number of bytes of one scalar.
    private static let (chunkSize, longestScalar) = (1_024, 4)

    /// Converts the scalar at an index, and advances the index to the next scalar.
    ///
    /// - Returns: The number of bytes of the scalar in UTF-8; `nil` for a surrogate that is not part of a pair.
    private static func convert(
        _ text: UnsafeBufferPointer<UInt8>, at index: inout Int, to utf8: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        var scalar = unit(of: text, at: index)
        index += 2
        switch scalar {
        case 0..<0x80:
            utf8[0] = UInt8(scalar)
            return 1
        case 0x80..<0x800:
            utf8[0] = 0xC0 | UInt8(scalar >> 6)
            utf8[1] = continuation(scalar)
            return 2
        case 0xD800..<0xDC00:
            guard index + 1 < text.count else { return nil }
            let low = unit(of: text, at: index)
            guard 0xDC00..<0xE000 ~= low else { return nil }
            index += 2
            scalar = 0x1_0000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
            utf8[0] = 0xF0 | UInt8(scalar >> 18)
            utf8[1] = continuation(scalar >> 12)
            utf8[2] = continuation(scalar >> 6)
            utf8[3] = continuation(scalar)
            return 4
        case 0xDC00..<0xE000: return nil
        default:
            utf8[0] = 0xE0 | UInt8(scalar >> 12)
            utf8[1] = continuation(scalar >> 6)
            utf8[2] = continuation(scalar)
            return 3
        }
    }

    /// Returns the four characters at an index in one integer; `nil` if one of them is not ASCII, or the text is shorter.
    /// They are read together, because a large catalog has millions of them.
    private static func fourInASCII(of text: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32? {
        guard index + 8 <= text.count, let base = text.baseAddress else { return nil }
        let word = UInt64(bigEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
        guard word & 0xFF80_FF80_FF80_FF80 == 0 else { return nil }
        let letters = (word >> 24 & 0x7F00_0000) | (word >> 16 & 0x7F_0000) | (word >> 8 & 0x7F00) | (word & 0x7F)
        return UInt32(truncatingIfNeeded: letters)
    }

    private static func unit(of text: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32 {
        UInt32(text[index]) << 8 | UInt32(text[index + 1])
    }

    private static func continuation(_ bits: UInt32) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: bits) & 0x3F }
}
