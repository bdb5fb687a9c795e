internal import Foundation

/// Reader of plain JSON: UTF-8 with integers, and with texts without `\u`.
///
/// It declines, by returning `nil`, everything that `JSONSerialization` rejects, and whatever is rare: other numbers and
/// encodings, repeated keys, objects with more than 64 keys, and more than 32 levels.
struct PlainJSONReader {
    private static let deepest = 32
    private static let mostKeys = 64

    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0
    private var depth = 0

    /// Reads a document.
    ///
    /// - Returns: `nil` for a document that is not plain JSON with an object or array as its outermost value.
    static func read(_ data: Data) -> JSONValue? {
        data.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: UInt8.self) { bytes in
                var reader = PlainJSONReader(bytes: bytes)
                reader.skipSpace()
                guard reader.next == UInt8(ascii: "{") || reader.next == UInt8(ascii: "["),
                    let value = reader.value()
                else { return nil }
                reader.skipSpace()
                return reader.next == nil ? value : nil
            }
        }
    }

    private init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The byte at the position; `nil` at the end.
    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    /// Skips a byte if it is the next one.
    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let byte = next, byte == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skip(word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            guard bytes.count - position >= word.count, bytes[position..<position + word.count].elementsEqual(word)
            else { return false }
            position += word.count
            return true
        }
    }

    private mutating func value() -> JSONValue? {
        switch next {
        case UInt8(ascii: "{"): nested { $0.object() }
        case UInt8(ascii: "["): nested { $0.list() }
        case UInt8(ascii: "\""): text().map(JSONValue.text)
        case UInt8(ascii: "t"): skip(word: "true") ? .flag(true) : nil
        case UInt8(ascii: "f"): skip(word: "false") ? .flag(false) : nil
        case UInt8(ascii: "n"): skip(word: "null") ? .null : nil
        default: integer()
        }
    }

    private mutating func nested(_ read: (inout PlainJSONReader) -> JSONValue?) -> JSONValue? {
        guard depth < Self.deepest else { return nil }
        depth += 1
        position += 1
        skipSpace()
        defer { depth -= 1 }
        return read(&self)
    }

    private mutating func list() -> JSONValue? {
        var elements: [JSONValue] = []
        if skip("]") { return .list([]) }
        repeat {
            skipSpace()
            guard let element = value() else { return nil }
            elements.append(element)
            skipSpace()
        } while skip(",")
        return skip("]") ? .list(elements) : nil
    }

    private mutating func object() -> JSONValue? {
        var entries: [JSONMembers.Entry] = []
        if skip("}") { return .object(JSONMembers()) }
        repeat {
            skipSpace()
            guard entries.count < Self.mostKeys, let key = text(), !entries.contains(where: { $0.key == key }) else {
                return nil
            }
            skipSpace()
            guard skip(":") else { return nil }
            skipSpace()
            guard let value = value() else { return nil }
            entries.append((key, value))
            skipSpace()
        } while skip(",")
        return skip("}") ? .object(JSONMembers(entries)) : nil
    }

    /// Reads an integer of at most 18 digits, without superfluous zeros and not -0.
    private mutating func integer() -> JSONValue? {
        let isNegative = skip("-")
        let start = position
        var number = 0
        while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte, position - start < 19 {
            number = number &* 10 &+ Int(byte - UInt8(ascii: "0"))
            position += 1
        }
        let count = position - start
        guard 1...18 ~= count, number != 0 || count == 1 && !isNegative else { return nil }
        guard count == 1 || bytes[start] != UInt8(ascii: "0") else { return nil }
        switch next {
        case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): return nil
        default: return .integer(isNegative ? -number : number)
        }
    }

    /// Reads a text, which begins with a quotation mark.
    private mutating func text() -> String? {
        guard skip("\"") else { return nil }
        let start = position
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                defer { position += 1 }
                return Self.string(UnsafeBufferPointer(rebasing: bytes[start..<position]))
            case UInt8(ascii: "\\"): return escapedText(from: start)
            case 0..<0x20: return nil
            default: position += 1
            }
        }
        return nil
    }

    /// Returns a text; `nil` if it is not UTF-8. (`String(validating:as:)` took most of the time of this reader.)
    private static func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        // Bytes that are not UTF-8 have been replaced.
        return text.utf8.count == bytes.count && text.utf8.elementsEqual(bytes) ? text : nil
    }

    /// Reads the rest of a text with escapes.
    private mutating func escapedText(from start: Int) -> String? {
        var content = Array(bytes[start..<position])
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return content.withUnsafeBufferPointer(Self.string)
            case UInt8(ascii: "\\"):
                guard let escaped = next, let meant = Self.meaning(ofEscaped: escaped) else { return nil }
                position += 1
                content.append(meant)
            case 0..<0x20: return nil
            default: content.append(byte)
            }
        }
        return nil
    }

    private static func meaning(ofEscaped byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): byte
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }
}
