/// Binary property list that is assembled by hand.
package struct BinaryFile {
    package var objects: [[UInt8]]
    package var offsetSize = 1
    package var referenceSize = 1
    package var top = 0
    /// False offsets of objects in the offset table, by the objects' numbers.
    package var offsets: [Int: Int] = [:]
    package var count: Int?
    package var tableOffset: Int?

    package init(_ objects: [UInt8]...) { self.objects = objects }

    package var bytes: [UInt8] {
        var bytes = Array("bplist00".utf8)
        var table: [UInt8] = []
        for (index, object) in objects.enumerated() {
            table += Self.number(offsets[index] ?? bytes.count, size: offsetSize)
            bytes += object
        }
        let start = bytes.count
        return bytes + table + [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
            + Self.number(count ?? objects.count, size: 8) + Self.number(top, size: 8)
            + Self.number(tableOffset ?? start, size: 8)
    }

    package static func number(_ number: Int, size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
