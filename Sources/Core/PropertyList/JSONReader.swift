internal import VitrineSupport

/// Parses JSON (RFC 8259) as a property list: objects are dictionaries, `true` and `false` Booleans, and a number is an
/// integer if it has neither a fraction nor an exponent.
///
/// The reader is strict: it refuses comments, trailing commas, numbers out of range, `null` and text that is not valid
/// Unicode. A byte order mark in front is skipped, as RFC 8259 §8.1 allows. JSON has no dates: a string in the form of a
/// date is a date under the keys in ``JSONDates``.
struct JSONReader {
    private typealias Failure = DocumentBuilder.Failure

    private let bytes: UnsafeBufferPointer<UInt8>
    private var index: Int
    private var builder: DocumentBuilder
    private var open: [Container] = []
    /// Decoded text of the current string, if it contains escapes.
    private var decoded: [UInt8] = []
    /// Offset of the current key or value, for errors that the builder reports.
    private var start = 0

    private struct Container {
        let isObject: Bool
        /// `true` if strings in the container can be dates.
        let mayHoldDates: Bool
    }

    /// Text of a string: a range of the file, or the decoded text if the string contains escapes.
    private enum Text {
        case inFile(Range<Int>)
        case decoded
    }

    static func read(_ bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) -> DocumentStorage {
        let text = SourceText(bytes)
        let result = bytes.withUnsafeBufferPointer { buffer in
            Result { () throws(PropertyListError) in
                var reader = JSONReader(bytes: buffer, limits: limits)
                do throws(Failure) {
                    try reader.readDocument()
                } catch {
                    throw PropertyListError(
                        code: error.code, reason: error.reason,
                        position: text.position(at: error.offset ?? reader.start))
                }
                return reader.builder
            }
        }
        return try result.get().finish(text: text)
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, limits: PropertyListLimits) {
        self.bytes = bytes
        index = bytes.starts(with: TextEncoding.utf8Mark) ? TextEncoding.utf8Mark.count : 0
        builder = DocumentBuilder(limits: limits)
    }

    // MARK: Structure

    private mutating func readDocument() throws(Failure) {
        builder.reserveCapacity(forBytes: bytes.count)
        try builder.start(.plist, at: index)
        skipSpaces()
        try readValue(mayBeDate: false)
        while let container = open.last {
            try readNext(in: container)
        }
        skipSpaces()
        guard index == bytes.count else {
            throw syntax("the file continues with \(shown) after the end of the JSON value")
        }
        try builder.end(at: index)
    }

    /// Reads the next element or key of the innermost container with its value, or the end of the container. A nested
    /// container is only begun.
    private mutating func readNext(in container: Container) throws(Failure) {
        skipSpaces()
        let end = container.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        if byte == end { return try endContainer() }
        if !builder.isContainerEmpty {
            guard byte == UInt8(ascii: ",") else {
                throw syntax(
                    "expected , or \(container.isObject ? "}" : "]") after a value, but found \(shown)")
            }
            let comma = index
            index += 1
            skipSpaces()
            guard byte != end else { throw syntax("JSON does not allow a comma after the last value", at: comma) }
        }
        var mayBeDate = false
        var mayHoldDates = container.mayHoldDates
        if container.isObject {
            guard byte == UInt8(ascii: "\"") else {
                throw syntax("expected a key in double quotation marks, but found \(shown)")
            }
            start = index
            let text = try readString()
            mayBeDate = container.mayHoldDates && withBytes(of: text, JSONDates.isKey)
            mayHoldDates = container.mayHoldDates && !withBytes(of: text, JSONDates.isAppData)
            try add(.key, text)
            skipSpaces()
            guard byte == UInt8(ascii: ":") else { throw syntax("expected : after a key, but found \(shown)") }
            index += 1
            skipSpaces()
        }
        try readValue(mayBeDate: mayBeDate, mayHoldDates: mayHoldDates)
    }

    private mutating func endContainer() throws(Failure) {
        index += 1
        open.removeLast()
        try builder.end(at: index)
    }

    private mutating func readValue(mayBeDate: Bool, mayHoldDates: Bool = true) throws(Failure) {
        start = index
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            let isObject = byte == UInt8(ascii: "{")
            try builder.start(isObject ? .dict : .array, at: start)
            open.append(Container(isObject: isObject, mayHoldDates: mayHoldDates))
            index += 1
        case UInt8(ascii: "\""):
            let text = try readString()
            let isDate = mayBeDate && withBytes(of: text, JSONDates.isDate)
            try add(isDate ? .date : .string, text)
        case .some(let first) where first == UInt8(ascii: "-") || first.isDigit: try readNumber()
        case UInt8(ascii: "t") where skip("true"): try addFlag(.true)
        case UInt8(ascii: "f") where skip("false"): try addFlag(.false)
        case UInt8(ascii: "n") where skip("null"):
            throw Failure(
                code: .invalidValue, reason: "a property list has no null: leave the key or element out", offset: start)
        default: throw syntax(byte == nil ? "the JSON ends before a value" : "expected a value, but found \(shown)")
        }
    }

    private mutating func addFlag(_ element: DocumentBuilder.Element) throws(Failure) {
        try builder.start(element, at: start)
        try builder.end(at: index)
    }

    // MARK: Strings

    /// Reads a string, from its opening to its closing quotation mark.
    private mutating func readString() throws(Failure) -> Text {
        index += 1
        let textStart = index
        var copied = index
        var hasEscapes = false
        while let next = byte {
            switch next {
            case UInt8(ascii: "\""):
                index += 1
                guard hasEscapes else { return .inFile(textStart..<(index - 1)) }
                decoded += bytes[copied..<(index - 1)]
                return .decoded
            case UInt8(ascii: "\\"):
                if !hasEscapes { decoded.removeAll(keepingCapacity: true) }
                hasEscapes = true
                decoded += bytes[copied..<index]
                try readEscape()
                copied = index
            case 0..<0x20:
                let name = next == 0x0A || next == 0x0D ? "a line break" : "a control character"
                throw syntax("a string contains \(name), which must be escaped")
            case 0x20..<0x80: index += 1
            default:
                guard let length = scalarLength(at: index) else {
                    throw Failure(
                        code: .unsupportedEncoding, reason: "the file is not valid UTF-8, as JSON must be",
                        offset: index)
                }
                index += length
            }
        }
        throw syntax("a string has no closing quotation mark", at: start)
    }

    /// Reads an escape sequence, and appends its scalar to the decoded text.
    private mutating func readEscape() throws(Failure) {
        let start = index
        index += 1
        switch byte {
        case UInt8(ascii: "u"): decoded += try readEscapedScalar(at: start).utf8
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(bytes[index])
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        default: throw syntax("a \\ is not followed by one of the characters \"\\/bfnrtu", at: start)
        }
        index += 1
    }

    /// Reads the digits of an escape `\u`, and of the one that follows a high surrogate; the index is that of the last
    /// digit afterwards.
    private mutating func readEscapedScalar(at start: Int) throws(Failure) -> Character {
        let unit = try readUnit(at: start)
        if let scalar = Unicode.Scalar(unit) { return Character(scalar) }
        let failure = syntax(
            "\\u\(String(unit, radix: 16)) is half of a surrogate pair, without the other half", at: start)
        guard unit < 0xDC00, index + 2 < bytes.count, bytes[index + 1] == UInt8(ascii: "\\"),
            bytes[index + 2] == UInt8(ascii: "u")
        else { throw failure }
        index += 2
        let low = try readUnit(at: index - 1)
        guard 0xDC00..<0xE000 ~= low,
            let scalar = Unicode.Scalar(0x1_0000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
        else { throw failure }
        return Character(scalar)
    }

    private mutating func readUnit(at start: Int) throws(Failure) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            index += 1
            guard let byte, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw syntax("\\u is not followed by four hexadecimal digits", at: start)
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Returns the length of the UTF-8 sequence at an offset (Unicode Standard, table 3-7); `nil` if it is invalid.
    private func scalarLength(at offset: Int) -> Int? {
        func isContinuing(_ distance: Int, _ range: ClosedRange<UInt8> = 0x80...0xBF) -> Bool {
            offset + distance < bytes.count && range.contains(bytes[offset + distance])
        }
        switch bytes[offset] {
        case 0xC2...0xDF: return isContinuing(1) ? 2 : nil
        case 0xE0: return isContinuing(1, 0xA0...0xBF) && isContinuing(2) ? 3 : nil
        case 0xED: return isContinuing(1, 0x80...0x9F) && isContinuing(2) ? 3 : nil
        case 0xE1...0xEF: return isContinuing(1) && isContinuing(2) ? 3 : nil
        case 0xF0: return isContinuing(1, 0x90...0xBF) && isContinuing(2) && isContinuing(3) ? 4 : nil
        case 0xF1...0xF3: return isContinuing(1) && isContinuing(2) && isContinuing(3) ? 4 : nil
        case 0xF4: return isContinuing(1, 0x80...0x8F) && isContinuing(2) && isContinuing(3) ? 4 : nil
        default: return nil
        }
    }

    private func withBytes<Value>(of text: Text, _ use: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        switch text {
        case .inFile(let range): use(UnsafeBufferPointer(rebasing: bytes[range]))
        case .decoded: decoded.withUnsafeBufferPointer(use)
        }
    }

    private mutating func add(_ element: DocumentBuilder.Element, _ text: Text) throws(Failure) {
        switch text {
        case .inFile(let range): try builder.addLeaf(element, at: start..<index, text: range, of: bytes)
        case .decoded:
            try builder.start(element, at: start)
            let result = decoded.withUnsafeBufferPointer { characters in
                Result { () throws(Failure) in try builder.append(characters, at: start) }
            }
            try result.get()
            try builder.end(at: index)
        }
    }

    // MARK: Numbers

    /// Reads a number (RFC 8259 §6).
    private mutating func readNumber() throws(Failure) {
        if byte == UInt8(ascii: "-") { index += 1 }
        if byte == UInt8(ascii: "0") {
            index += 1
            guard byte.map(\.isDigit) != true else { throw syntax("a number begins with a zero", at: start) }
        } else {
            try skipDigits(after: "a minus sign")
        }
        var isReal = false
        if byte == UInt8(ascii: ".") {
            isReal = true
            index += 1
            try skipDigits(after: "a decimal point")
        }
        if byte == UInt8(ascii: "e") || byte == UInt8(ascii: "E") {
            isReal = true
            index += 1
            if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") { index += 1 }
            try skipDigits(after: "e")
        }
        let text = start..<index
        // The builder refuses an integer out of range.
        if isReal, ScalarText.real(bytes[text])?.isFinite != true {
            let shown = String(decoding: bytes[text].prefix(40), as: UTF8.self)
            throw Failure(code: .invalidValue, reason: "the number \(shown) is out of range", offset: start)
        }
        try builder.addLeaf(isReal ? .real : .integer, at: text, text: text, of: bytes)
    }

    private mutating func skipDigits(after part: String) throws(Failure) {
        guard byte.map(\.isDigit) == true else { throw syntax("a digit is missing after \(part)", at: start) }
        while byte.map(\.isDigit) == true { index += 1 }
    }

    // MARK: Bytes

    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpaces() {
        while let byte, byte.isXMLSpace { index += 1 }
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        let word = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[index...].starts(with: word) else { return false }
        index += word.count
        return true
    }

    /// Character at the current offset, for error messages.
    private var shown: String {
        switch byte {
        case nil: "the end of the file"
        case UInt8(ascii: "/"): "a comment, which JSON does not have"
        case UInt8(ascii: "'"): "a single quotation mark"
        case .some:
            String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.first.map {
                "\"\($0.escaped(asASCII: false))\""
            } ?? ""
        }
    }

    private func syntax(_ reason: String, at offset: Int? = nil) -> Failure {
        Failure(code: .malformedJSON, reason: reason, offset: offset ?? index)
    }
}

/// Keys of dates in catalogs. JSON has no dates, so that these are written as strings such as "2030-03-01T00:00:00Z".
enum JSONDates {
    private static let keys = ["expires", "beforeDate", "until"]
    /// Key of data of the app, in which strings stay strings whatever their keys are.
    private static let appData = "userInfo"

    static func isKey(_ name: some Sequence<UInt8>) -> Bool { keys.contains { name.elementsEqual($0.utf8) } }

    /// Returns `true` for a text that is written again as it is once it was read as a date.
    static func isDate(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.count == 20 && ScalarText.secondsSince2001(text[...]) != nil
    }

    static func isAppData(_ name: some Sequence<UInt8>) -> Bool { name.elementsEqual(appData.utf8) }
}
