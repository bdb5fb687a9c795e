/// Goes through an XML document tag by tag, in the few forms that tables of contents have: UTF-8, and nothing but
/// elements, attributes, text and references to characters.
///
/// What else XML may hold (document types, comments, instructions, sections of characters) is refused.
struct XarMarkup {
    enum Token: Equatable {
        case start(String, attributes: [String: String])
        case end(String)
        case text(String)
    }

    /// What is wrong with a table of contents, as the rest of a sentence.
    struct Defect: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }

        static let damaged = Defect("its table of contents is damaged")
    }

    private let bytes: [UInt8]
    private var position: Int
    /// The end of an element that has begun and ended in one tag.
    private var pendingEnd: String?

    private static let declaration = Array(#"<?xml version="1.0" encoding="UTF-8"?>"#.utf8)

    init(_ bytes: [UInt8]) throws(Defect) {
        guard bytes.starts(with: Self.declaration) else {
            throw Defect("its table of contents is not XML in UTF-8, as it has to be")
        }
        self.bytes = bytes
        position = Self.declaration.count
    }

    /// - Returns: `nil` at the end of the document.
    mutating func next() throws(Defect) -> Token? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name)
        }
        guard position < bytes.count else { return nil }
        guard bytes[position] == UInt8(ascii: "<") else { return .text(try text()) }
        position += 1
        guard position < bytes.count else { throw .damaged }
        if bytes[position] == UInt8(ascii: "/") {
            position += 1
            let name = try name()
            skipSpace()
            try expect(UInt8(ascii: ">"))
            return .end(name)
        }
        return try start()
    }

    private mutating func start() throws(Defect) -> Token {
        let name = try name()
        var attributes: [String: String] = [:]
        while true {
            skipSpace()
            guard position < bytes.count else { throw .damaged }
            switch bytes[position] {
            case UInt8(ascii: ">"):
                position += 1
                return .start(name, attributes: attributes)
            case UInt8(ascii: "/"):
                position += 1
                try expect(UInt8(ascii: ">"))
                pendingEnd = name
                return .start(name, attributes: attributes)
            default:
                let attribute = try self.name()
                let value = try attributeValue()
                guard attributes.updateValue(value, forKey: attribute) == nil else { throw .damaged }
            }
        }
    }

    private mutating func attributeValue() throws(Defect) -> String {
        skipSpace()
        try expect(UInt8(ascii: "="))
        skipSpace()
        guard position < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[position]),
            let end = bytes[(position + 1)...].firstIndex(of: bytes[position])
        else { throw .damaged }
        defer { position = end + 1 }
        return try Self.decoded(bytes[(position + 1)..<end])
    }

    private mutating func text() throws(Defect) -> String {
        let end = bytes[position...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
        defer { position = end }
        return try Self.decoded(bytes[position..<end])
    }

    /// A name of letters, digits and `.-_:`, which is not empty.
    private mutating func name() throws(Defect) -> String {
        let start = position
        while position < bytes.count, Self.isPartOfName(bytes[position]) { position += 1 }
        guard position > start else { throw .damaged }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private mutating func skipSpace() {
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
    }

    private mutating func expect(_ byte: UInt8) throws(Defect) {
        guard position < bytes.count, bytes[position] == byte else { throw .damaged }
        position += 1
    }

    // MARK: References

    private static func decoded(_ bytes: ArraySlice<UInt8>) throws(Defect) -> String {
        var decoded: [UInt8] = []
        var rest = bytes
        while let start = rest.firstIndex(of: UInt8(ascii: "&")) {
            guard let end = rest[start...].prefix(longestReference).firstIndex(of: UInt8(ascii: ";")),
                let scalar = scalar(of: String(decoding: rest[(start + 1)..<end], as: UTF8.self))
            else { throw .damaged }
            decoded += rest[..<start]
            decoded += Array(String(scalar).utf8)
            rest = rest[(end + 1)...]
        }
        decoded += rest
        guard let text = String(validating: decoded, as: UTF8.self) else {
            throw Defect("its table of contents holds what is not UTF-8")
        }
        return text
    }

    private static let longestReference = 12

    private static func scalar(of reference: String) -> Unicode.Scalar? {
        switch reference {
        case "lt": "<"
        case "gt": ">"
        case "amp": "&"
        case "quot": "\""
        case "apos": "'"
        case _ where reference.hasPrefix("#x"): UInt32(reference.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case _ where reference.hasPrefix("#"): UInt32(reference.dropFirst()).flatMap(Unicode.Scalar.init)
        default: nil
        }
    }
}
