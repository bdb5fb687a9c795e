import VitrinePropertyList
import VitrineTestSupport

/// Keyed archive that is assembled by hand, so that it can contain errors.
struct ArchiveFile {
    indirect enum Part {
        case string(String)
        case integer(Int)
        case boolean(Bool)
        case uid(Int)
        /// Bytes that are written to the file unchanged.
        case encoded([UInt8])
        case array([Part])
        case dictionary([(String, Part)])
    }

    var archiver = "NSKeyedArchiver"
    var version = 100_000
    var top: Part = .dictionary([("root", .uid(1))])
    /// Objects after `$null`.
    var objects: [Part]

    init(_ objects: Part...) { self.objects = objects }

    init(objects: [Part]) { self.objects = objects }

    /// Returns an object whose class is described by the object with the given number.
    static func object(classAt number: Int, _ fields: [(String, Part)]) -> Part {
        .dictionary(fields + [("$class", .uid(number))])
    }

    static func classNamed(_ names: String...) -> Part {
        .dictionary([("$classname", .string(names[0])), ("$classes", .array(names.map { .string($0) }))])
    }

    var bytes: [UInt8] {
        var file = BinaryFile()
        file.offsetSize = 3
        file.referenceSize = 2
        _ = add(
            .dictionary([
                ("$archiver", .string(archiver)), ("$version", .integer(version)), ("$top", top),
                ("$objects", .array([.string("$null")] + objects)),
            ]),
            to: &file)
        return file.bytes
    }

    /// Adds a part and the parts that it contains.
    ///
    /// - Returns: The number of the part's object in the file.
    private func add(_ part: Part, to file: inout BinaryFile) -> Int {
        let number = file.objects.count
        file.objects.append([])
        switch part {
        case .string(let string): file.objects[number] = Self.head(0x50, string.utf8.count) + Array(string.utf8)
        case .integer(let integer): file.objects[number] = [0x13] + BinaryFile.number(integer, size: 8)
        case .boolean(let boolean): file.objects[number] = [boolean ? 0x09 : 0x08]
        case .uid(let uid): file.objects[number] = [0x87] + BinaryFile.number(uid, size: 8)
        case .encoded(let bytes): file.objects[number] = bytes
        case .array(let parts):
            let numbers = parts.map { add($0, to: &file) }
            file.objects[number] =
                Self.head(0xA0, parts.count) + numbers.flatMap { BinaryFile.number($0, size: 2) }
        case .dictionary(let entries):
            let keys = entries.map { add(.string($0.0), to: &file) }
            let values = entries.map { add($0.1, to: &file) }
            file.objects[number] =
                Self.head(0xD0, entries.count) + (keys + values).flatMap { BinaryFile.number($0, size: 2) }
        }
        return number
    }

    private static func head(_ marker: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [marker | UInt8(count)] : [marker | 0x0F, 0x12] + BinaryFile.number(count, size: 4)
    }
}
