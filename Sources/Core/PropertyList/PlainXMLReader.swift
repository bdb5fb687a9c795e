internal import Foundation

/// Parses the plain XML that nearly every property list uses, several times as fast as libxml2.
///
/// The reader supports UTF-8 without a byte order mark, the usual XML declaration and document type, elements without
/// attributes, comments between elements, and text with character references. Any other file, including an invalid one,
/// is declined without a reason: ``XMLReader`` then parses it and reports the error. For accepted files, both readers
/// produce the same values at the same positions.
struct PlainXMLReader {
    /// Error thrown for a file that uses unsupported XML or is invalid.
    private struct Declined: Error {}

    private let bytes: UnsafeBufferPointer<UInt8>
    private let start: UnsafePointer<UInt8>
    private var index = 0
    private var builder: DocumentBuilder

    /// Parses the plain XML of a property list without libxml2.
    ///
    /// - Returns: `nil` for a file that libxml2 must parse or reject.
    static func read(_ bytes: [UInt8], limits: PropertyListLimits) -> DocumentStorage? {
        let builder = bytes.withUnsafeBufferPointer { buffer -> DocumentBuilder? in
            guard let start = buffer.baseAddress else { return nil }
            var reader = PlainXMLReader(bytes: buffer, start: start, builder: DocumentBuilder(limits: limits))
            do {
                try reader.readProlog()
                reader.builder.reserveCapacity(forBytes: buffer.count)
                try reader.readElements()
                return reader.builder
            } catch {
                return nil
            }
        }
        return try? builder?.finish(text: SourceText(bytes))
    }

    // MARK: Around the elements

    // Maximum length of a comment in bytes and maximum nesting depth, both below the limits of libxml2. A file that
    // exceeds them is declined, so that libxml2 reports the error. As a tuple they would be initialized at run time.
    private static let longestComment = 9_000_000
    private static let mostContainers = 250

    private static let declarations: [StaticString] = [
        #"<?xml version="1.0" encoding="UTF-8"?>"#, #"<?xml version="1.0" encoding="utf-8"?>"#,
        #"<?xml version="1.0"?>"#,
    ]

    private static let documentTypes: [StaticString] = [
        #"<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#,
        #"<!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#,
    ]

    private mutating func readProlog() throws(Declined) {
        _ = Self.declarations.contains { skip($0) }
        try skipSpacesAndComments()
        _ = Self.documentTypes.contains { skip($0) }
        try skipSpacesAndComments()
    }

    private mutating func readElements() throws(Declined) {
        let start = index
        guard skip(#"<plist version="1.0">"#) || skip("<plist>") else { throw Declined() }
        try fill(.plist, at: start)
        var depth = 1
        while depth > 0 {
            try skipSpacesAndComments()
            guard depth <= Self.mostContainers else { throw Declined() }
            try readElement(depth: &depth)
        }
        try skipSpacesAndComments()
        guard index == bytes.count else { throw Declined() }
    }

    private mutating func skipSpacesAndComments() throws(Declined) {
        while true {
            while byte(at: index).isXMLSpace { index += 1 }
            let start = index
            guard byte(at: index + 1) == UInt8(ascii: "!"), skip("<!--") else { return }
            while !skip("--") {
                guard byte(at: index) != UInt8(ascii: "\r") else { throw Declined() }
                try skipScalar()
            }
            guard skip(">"), index - start < Self.longestComment else { throw Declined() }
        }
    }

    // MARK: Elements

    private mutating func readElement(depth: inout Int) throws(Declined) {
        let start = index
        switch byte(at: index + 1) {
        case UInt8(ascii: "k") where skip("<key>"): try readLeaf(.key, at: start, end: "</key>")
        case UInt8(ascii: "s") where skip("<string>"): try readLeaf(.string, at: start, end: "</string>")
        case UInt8(ascii: "s") where skip("<string/>"): try addEmpty(.string, at: start)
        case UInt8(ascii: "i") where skip("<integer>"): try readLeaf(.integer, at: start, end: "</integer>")
        case UInt8(ascii: "t") where skip("<true/>"): try addEmpty(.true, at: start)
        case UInt8(ascii: "f") where skip("<false/>"): try addEmpty(.false, at: start)
        case UInt8(ascii: "d") where skip("<dict>"):
            try fill(.dict, at: start)
            depth += 1
        case UInt8(ascii: "d") where skip("<date>"): try readLeaf(.date, at: start, end: "</date>")
        case UInt8(ascii: "d") where skip("<data>"): try readLeaf(.data, at: start, end: "</data>")
        case UInt8(ascii: "d") where skip("<dict/>"):
            try fill(.dict, at: start)
            try endElement()
        case UInt8(ascii: "a") where skip("<array>"):
            try fill(.array, at: start)
            depth += 1
        case UInt8(ascii: "a") where skip("<array/>"):
            try fill(.array, at: start)
            try endElement()
        case UInt8(ascii: "r") where skip("<real>"): try readLeaf(.real, at: start, end: "</real>")
        case UInt8(ascii: "/"):
            guard let open = builder.openContainer, skip(open.endTag) else { throw Declined() }
            try endElement()
            depth -= 1
        default: throw Declined()
        }
    }

    /// Reads the text of an element and its end tag. Inlined, so that the end tag is compared in one or two
    /// instructions.
    @inline(__always) private mutating func readLeaf(
        _ element: DocumentBuilder.Element, at start: Int, end: StaticString
    ) throws(Declined) {
        let textStart = index
        guard try skipText() else { return try readReferences(element, at: start, from: textStart, end: end) }
        let text = textStart..<index
        guard skip(end) else { throw Declined() }
        do {
            try builder.addLeaf(element, at: start..<index, text: text, of: bytes)
        } catch {
            throw Declined()
        }
    }

    /// Reads the text of an element that contains character references.
    private mutating func readReferences(
        _ element: DocumentBuilder.Element, at start: Int, from textStart: Int, end: StaticString
    ) throws(Declined) {
        try fill(element, at: start)
        try append(textStart..<index)
        var isAtEnd = false
        while !isAtEnd {
            try appendReference()
            let next = index
            isAtEnd = try skipText()
            try append(next..<index)
        }
        guard skip(end) else { throw Declined() }
        try endElement()
    }

    private mutating func appendReference() throws(Declined) {
        var character = String(try readReference())
        let start = index
        let result = character.withUTF8 { content in
            Result { () throws(DocumentBuilder.Failure) in try builder.append(content, at: start) }
        }
        guard case .success = result else { throw Declined() }
    }

    private mutating func readReference() throws(Declined) -> Unicode.Scalar {
        switch byte(at: index + 1) {
        case UInt8(ascii: "a") where skip("&amp;"): "&"
        case UInt8(ascii: "a") where skip("&apos;"): "'"
        case UInt8(ascii: "l") where skip("&lt;"): "<"
        case UInt8(ascii: "g") where skip("&gt;"): ">"
        case UInt8(ascii: "q") where skip("&quot;"): "\""
        default: try readNumberedReference()
        }
    }

    /// Reads a numeric character reference: `&#10;` or `&#xA;`.
    private mutating func readNumberedReference() throws(Declined) -> Unicode.Scalar {
        let radix: UInt32 = skip("&#x") ? 16 : 10
        guard radix == 16 || skip("&#") else { throw Declined() }
        var number: UInt32 = 0
        let first = index
        while let digit = byte(at: index).hexadecimalDigit, digit < radix, number < 0x11_0000 {
            number = number * radix + digit
            index += 1
        }
        guard index > first, skip(";"), let scalar = Unicode.Scalar(number), scalar.isXMLCharacter else {
            throw Declined()
        }
        return scalar
    }

    // MARK: Characters

    /// Skips text up to the next tag or reference.
    ///
    /// - Returns: `true` if a tag follows, `false` if a reference follows.
    private mutating func skipText() throws(Declined) -> Bool {
        while true {
            skipPlainText()
            switch byte(at: index) {
            case UInt8(ascii: "<"): return true
            case UInt8(ascii: "&"): return false
            // XML does not allow "]]>" in text.
            case UInt8(ascii: "]") where byte(at: index + 1) != UInt8(ascii: "]"): index += 1
            case UInt8(ascii: "\n"), UInt8(ascii: "\t"): index += 1
            case UInt8(ascii: "]"), 0..<0x20: throw Declined()
            default: repeat { try skipScalar() } while byte(at: index) >= 0x80
            }
        }
    }

    /// Skips bytes without a special meaning in XML, eight at a time.
    private mutating func skipPlainText() {
        while index + 8 <= bytes.count {
            let word = UnsafeRawPointer(start + index).loadUnaligned(as: UInt64.self).littleEndian
            let marks = word.marksOfSpecialBytes
            guard marks == 0 else {
                index += marks.trailingZeroBitCount / 8
                return
            }
            index += 8
        }
    }

    /// Skips one character that is well formed in UTF-8 and allowed in XML.
    private mutating func skipScalar() throws(Declined) {
        let first = byte(at: index)
        let second = byte(at: index + 1)
        let isRight: Bool
        let length: Int
        switch first {
        case 0x20..<0x80, 0x09, 0x0A: (length, isRight) = (1, true)
        case 0xC2...0xDF: (length, isRight) = (2, true)
        case 0xE0: (length, isRight) = (3, second >= 0xA0)
        case 0xED: (length, isRight) = (3, second < 0xA0)
        // XML does not allow U+FFFE and U+FFFF.
        case 0xEF: (length, isRight) = (3, second != 0xBF || byte(at: index + 2) < 0xBE)
        case 0xE1...0xEC, 0xEE: (length, isRight) = (3, true)
        case 0xF0: (length, isRight) = (4, second >= 0x90)
        case 0xF1...0xF3: (length, isRight) = (4, true)
        case 0xF4: (length, isRight) = (4, second < 0x90)
        default: throw Declined()
        }
        guard isRight else { throw Declined() }
        for next in 1..<max(length, 1) where byte(at: index + next) & 0xC0 != 0x80 { throw Declined() }
        index += length
    }

    /// Returns the byte at `index`. After the last byte, returns 0, which does not occur in XML.
    private func byte(at index: Int) -> UInt8 { index < bytes.count ? start[index] : 0 }

    /// Skips `text` if the bytes at the current index are equal to it. Inlined, so that a short text is compared in one
    /// or two instructions.
    ///
    /// - Returns: `true` if the text was skipped.
    @inline(__always) private mutating func skip(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        guard count <= bytes.count - index, memcmp(start + index, text.utf8Start, count) == 0 else { return false }
        index += count
        return true
    }

    // MARK: The document

    private mutating func fill(_ element: DocumentBuilder.Element, at start: Int) throws(Declined) {
        do { try builder.start(element, at: start) } catch { throw Declined() }
    }

    private mutating func append(_ range: Range<Int>) throws(Declined) {
        do {
            try builder.append(UnsafeBufferPointer(rebasing: bytes[range]), at: range.lowerBound)
        } catch { throw Declined() }
    }

    private mutating func addEmpty(_ element: DocumentBuilder.Element, at start: Int) throws(Declined) {
        do {
            try builder.addLeaf(element, at: start..<index, text: index..<index, of: bytes)
        } catch { throw Declined() }
    }

    private mutating func endElement() throws(Declined) {
        do { try builder.end(at: index) } catch { throw Declined() }
    }
}

extension DocumentBuilder.Element {
    /// End tag of an element that may contain other elements.
    fileprivate var endTag: StaticString {
        switch self {
        case .array: "</array>"
        case .dict: "</dict>"
        default: "</plist>"
        }
    }
}

extension UInt64 {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Flags for the eight bytes of an integer: the high bit is set in the lowest byte that is a control character,
    /// `<`, `&`, `]` or not ASCII. The flags of higher bytes may be wrong.
    fileprivate var marksOfSpecialBytes: UInt64 {
        let controls = (self &- 0x20 &* Self.ones) & ~self
        return
            (controls | self | zeros(for: UInt8(ascii: "<")) | zeros(for: UInt8(ascii: "&"))
            | zeros(for: UInt8(ascii: "]"))) & Self.highBits
    }

    private func zeros(for byte: UInt8) -> UInt64 {
        let difference = self ^ (UInt64(byte) &* Self.ones)
        return (difference &- Self.ones) & ~difference
    }
}

extension UInt8 {
    fileprivate var hexadecimalDigit: UInt32? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(self - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(self - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(self - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}

extension Unicode.Scalar {
    /// `true` if XML allows the character (XML 1.0, production 2).
    fileprivate var isXMLCharacter: Bool {
        switch value {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x1_0000...0x10_FFFF: true
        default: false
        }
    }
}
