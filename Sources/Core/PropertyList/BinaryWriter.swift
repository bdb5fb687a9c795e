internal import Foundation

/// Writes the format `bplist00`. Equal objects other than containers are written once.
struct BinaryWriter {
    /// Content of an object other than a container, for finding equal objects.
    fileprivate enum Scalar: Hashable {
        case boolean(Bool)
        case integer(UInt64)
        case unsignedInteger(UInt64)
        case real(UInt64)
        case date(UInt64)
        case uid(UInt64)
        /// String as its UTF-8 bytes, because Swift strings treat canonically equivalent texts as equal.
        case string([UInt8])
        case data(Data)
    }

    private enum Object {
        case scalar(Scalar)
        /// Array of a binary property list, as the indices of its values in the list's table of objects.
        case array([Int])
        /// Dictionary, as the object numbers of its keys, followed by the object numbers of its values.
        case dictionary([Int])
    }

    private var objects: [Object] = []
    private var numbers: [Scalar: Int] = [:]

    static func write(_ root: PropertyListValue) -> [UInt8] {
        var writer = BinaryWriter()
        writer.addAll(root)
        return writer.file()
    }

    // MARK: Objects

    /// Assigns a number to each object. The root value has the number 0, and the content of each container has numbers
    /// above the container's own.
    private mutating func addAll(_ root: PropertyListValue) {
        var waiting = [(number: add(root), value: root)]
        while let (number, value) = waiting.popLast() {
            switch value.kind {
            case .array:
                let elements = value.elements
                let content = elements.map { add($0) }
                objects[number] = .array(content)
                waiting += zip(content, elements).reversed()
            case .dictionary:
                let entries = value.canonicalEntries
                let keys = entries.map { add(.string(Array($0.key.utf8))) }
                let values = entries.map { add($0.value) }
                objects[number] = .dictionary(keys + values)
                waiting += zip(values, entries.map(\.value)).reversed()
            default: break
            }
        }
    }

    private mutating func add(_ value: PropertyListValue) -> Int {
        guard let scalar = Scalar(value) else {
            objects.append(.array([]))
            return objects.count - 1
        }
        return add(scalar)
    }

    private mutating func add(_ scalar: Scalar) -> Int {
        if let number = numbers[scalar] { return number }
        objects.append(.scalar(scalar))
        numbers[scalar] = objects.count - 1
        return objects.count - 1
    }

    // MARK: Bytes

    private func file() -> [UInt8] {
        let referenceSize = Self.size(of: objects.count - 1)
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for object in objects {
            offsets.append(bytes.count)
            switch object {
            case .scalar(let scalar): Self.append(scalar, to: &bytes)
            case .array(let content):
                Self.append(marker: 0xA0, count: content.count, to: &bytes)
                for number in content { bytes += Self.bytes(of: number, size: referenceSize) }
            case .dictionary(let content):
                Self.append(marker: 0xD0, count: content.count / 2, to: &bytes)
                for number in content { bytes += Self.bytes(of: number, size: referenceSize) }
            }
        }
        let tableOffset = bytes.count
        let offsetSize = Self.size(of: tableOffset)
        for offset in offsets { bytes += Self.bytes(of: offset, size: offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [objects.count, 0, tableOffset] { bytes += Self.bytes(of: number, size: 8) }
        return bytes
    }

    private static func append(_ scalar: Scalar, to bytes: inout [UInt8]) {
        switch scalar {
        case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
        case .integer(let bits): append(integer: bits, to: &bytes)
        case .unsignedInteger(let bits):
            bytes += [0x14] + Self.bytes(ofBits: 0, size: 8) + Self.bytes(ofBits: bits, size: 8)
        case .real(let bits): bytes += [0x23] + Self.bytes(ofBits: bits, size: 8)
        case .date(let bits): bytes += [0x33] + Self.bytes(ofBits: bits, size: 8)
        case .uid(let value):
            let size = size(ofBits: value)
            bytes += [0x80 | UInt8(size - 1)] + Self.bytes(ofBits: value, size: size)
        case .string(let utf8):
            guard utf8.allSatisfy({ $0 < 0x80 }) else {
                let units = Array(String(decoding: utf8, as: UTF8.self).utf16)
                append(marker: 0x60, count: units.count, to: &bytes)
                for unit in units { bytes += [UInt8(unit >> 8), UInt8(unit & 0xFF)] }
                return
            }
            append(marker: 0x50, count: utf8.count, to: &bytes)
            bytes += utf8
        case .data(let data):
            append(marker: 0x40, count: data.count, to: &bytes)
            bytes += data
        }
    }

    private static func append(marker: UInt8, count: Int, to bytes: inout [UInt8]) {
        guard count >= 15 else { return bytes.append(marker | UInt8(count)) }
        bytes.append(marker | 0x0F)
        append(integer: UInt64(count), to: &bytes)
    }

    /// Appends an integer. A negative integer takes 8 bytes; any other integer takes the smallest sufficient size.
    private static func append(integer bits: UInt64, to bytes: inout [UInt8]) {
        let size = size(ofBits: bits)
        bytes += [0x10 | UInt8(size.trailingZeroBitCount)] + Self.bytes(ofBits: bits, size: size)
    }

    private static func size(of number: Int) -> Int { size(ofBits: UInt64(number)) }

    private static func size(ofBits bits: UInt64) -> Int {
        switch bits {
        case 0...0xFF: 1
        case 0...0xFFFF: 2
        case 0...0xFFFF_FFFF: 4
        default: 8
        }
    }

    private static func bytes(of number: Int, size: Int) -> [UInt8] { bytes(ofBits: UInt64(number), size: size) }

    private static func bytes(ofBits bits: UInt64, size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
    }
}

extension BinaryWriter.Scalar {
    /// Creates a key that is equal for equal values, so that a value that occurs several times is written once.
    ///
    /// - Returns: `nil` for an array or a dictionary, which is written each time.
    fileprivate init?(_ value: PropertyListValue) {
        switch value.kind {
        case .array, .dictionary: return nil
        case .string: self = .string(Array((value.string ?? "").utf8))
        case .integer:
            self =
                value.integer.map { .integer(UInt64(bitPattern: Int64($0))) }
                ?? .unsignedInteger(value.unsignedInteger ?? 0)
        case .real: self = .real((value.real ?? 0).bitPattern)
        case .boolean: self = .boolean(value.boolean ?? false)
        case .date: self = .date((value.date ?? Date()).timeIntervalSinceReferenceDate.bitPattern)
        case .data: self = .data(value.data ?? Data())
        case .uid: self = .uid(value.uid ?? 0)
        }
    }
}
