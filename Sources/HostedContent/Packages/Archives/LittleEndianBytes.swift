/// Extra field with values that do not fit in 32 bits.
enum Zip64 {
    /// Replaces values that mean "too large" by those of the extra field.
    ///
    /// - Returns: `false` if the field is damaged, or lacks them.
    static func complete(_ values: inout [Int], from extra: [UInt8]) -> Bool {
        var found: [UInt8]?
        var reader = LittleEndianBytes(extra)
        while !reader.isAtEnd {
            guard let identifier = reader.number(2), let length = reader.number(2), let bytes = reader.bytes(length)
            else { return false }
            if identifier == 1 {
                guard found == nil else { return false }
                found = bytes
            }
        }
        var long = LittleEndianBytes(found ?? [])
        for index in values.indices where values[index] == 0xFFFF_FFFF {
            guard let value = long.number(8), value >= 0 else { return false }
            values[index] = value
        }
        return true
    }
}

/// Reads numbers from bytes, with the lowest byte first, as in zips.
struct LittleEndianBytes {
    private let all: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { all = bytes }

    var isAtEnd: Bool { position == all.count }

    /// - Returns: `nil` if there are too few bytes; a negative number for 8 bytes that no length has.
    mutating func number(_ count: Int) -> Int? {
        guard let bytes = bytes(count) else { return nil }
        return Int(truncatingIfNeeded: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// Reads a number with the highest byte first.
    ///
    /// - Returns: As ``number(_:)`` does.
    mutating func bigEndianNumber(_ count: Int) -> Int? {
        guard let bytes = bytes(count) else { return nil }
        return Int(truncatingIfNeeded: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count <= all.count - position else { return nil }
        defer { position += count }
        return Array(all[position..<(position + count)])
    }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= all.count - position else { return false }
        position += count
        return true
    }
}
