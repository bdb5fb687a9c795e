internal import VitrineSupport

/// Header block of a tar's entry: of the first Unix tars, ustar, or GNU tar
/// ([POSIX, pax](https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html),
/// [GNU tar, Standard](https://www.gnu.org/software/tar/manual/html_node/Standard.html)).
struct TarHeader {
    /// Length of a header, and of the blocks of which a tar consists, in bytes.
    static let length = 512

    let name: [UInt8]
    /// Character that names the type of the entry; 0 in the first tars.
    let type: UInt8
    /// Length of the content in bytes.
    let contentLength: Int
    let isExecutable: Bool

    private static let magic = Array("ustar\0".utf8)

    /// Reads a header.
    ///
    /// - Parameter block: Block of ``length`` bytes.
    /// - Returns: `nil` for a damaged header.
    init?(_ block: [UInt8]) {
        guard Self.isHeader(block), let mode = Self.number(block[100..<108]),
            let contentLength = Self.number(block[124..<136])
        else { return nil }
        let name = Self.text(block[0..<100])
        // GNU tar has other values in place of the prefix.
        let prefix = block[257..<263].elementsEqual(Self.magic) ? Self.text(block[345..<500]) : []
        self.name = prefix.isEmpty ? name : prefix + [UInt8(ascii: "/")] + name
        (type, self.contentLength, isExecutable) = (block[156], contentLength, mode & 0o100 != 0)
    }

    /// Returns `true` if bytes begin with a header, by its checksum.
    static func isHeader(_ bytes: [UInt8]) -> Bool {
        guard bytes.count >= length, let stated = number(bytes[148..<156]) else { return false }
        // The field of the checksum counts as spaces. Some tars have added signed bytes.
        let header = bytes[0..<148] + [UInt8](repeating: UInt8(ascii: " "), count: 8) + bytes[156..<length]
        return stated == header.reduce(0) { $0 + Int($1) }
            || stated == header.reduce(0) { $0 + Int(Int8(bitPattern: $1)) }
    }

    private static func text(_ field: ArraySlice<UInt8>) -> [UInt8] { Array(field.prefix { $0 != 0 }) }

    /// Reads a number: octal digits, or, after a byte of 0x80, a number of GNU tar with the most significant byte first.
    ///
    /// - Returns: `nil` for anything else, also for a negative number.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        guard let first = field.first else { return nil }
        if first & 0x80 != 0 {
            guard first == 0x80 else { return nil }
            return field.dropFirst().reduce(0 as Int?) { number, byte in
                guard let number, number <= Int.max >> 8 else { return nil }
                return number << 8 | Int(byte)
            }
        }
        let digits = field.drop { $0 == UInt8(ascii: " ") }.prefix { $0 != 0 && $0 != UInt8(ascii: " ") }
        // A sign would be accepted by the conversion.
        guard digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "7") ~= $0 }) else { return nil }
        return digits.isEmpty ? 0 : Int(String(decoding: digits, as: UTF8.self), radix: 8)
    }
}

/// Values of a pax header, which replace those in the header of the next entry.
struct PaxRecords {
    private(set) var path: [UInt8]?
    private(set) var contentLength: Int?
    private(set) var isSparse = false

    /// Reads records of the form `LENGTH KEY=VALUE\n`, where LENGTH counts the bytes of the whole record.
    ///
    /// - Returns: `nil` for damaged records.
    init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let space = rest.prefix(20).firstIndex(of: UInt8(ascii: " ")),
                let length = Int(String(decoding: rest[..<space], as: UTF8.self)), length > space - rest.startIndex,
                length <= rest.count, rest[rest.startIndex + length - 1] == UInt8(ascii: "\n")
            else { return nil }
            let record = rest[(space + 1)..<(rest.startIndex + length - 1)]
            rest = rest.dropFirst(length)
            guard let sign = record.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            let (key, value) = (String(decoding: record[..<sign], as: UTF8.self), record[(sign + 1)...])
            switch key {
            // An empty value means that the header's own value is valid.
            case "path": path = value.isEmpty ? nil : Array(value)
            case "size":
                guard value.isEmpty || value.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
                    return nil
                }
                contentLength = Int(String(decoding: value, as: UTF8.self))
                guard value.isEmpty || contentLength != nil else { return nil }
            default: isSparse = isSparse || key.hasPrefix("GNU.sparse.")
            }
        }
    }
}
