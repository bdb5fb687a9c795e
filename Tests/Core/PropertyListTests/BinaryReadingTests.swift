import Foundation
import Testing
import VitrinePropertyList
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct BinaryReadingTests {
    private func read(_ file: BinaryFile) throws -> PropertyListValue {
        try PropertyListDocument(bytes: file.bytes).root
    }

    private func error(_ file: BinaryFile) -> PropertyListError? {
        #expect(throws: PropertyListError.self) { try read(file) }
    }

    @Test(
        arguments: [
            ([0x10, 0xFF], 255), ([0x11, 0xFF, 0xFE], 65_534), ([0x12, 0xFF, 0xFF, 0xFF, 0xFF], 4_294_967_295),
            ([0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE], -2),
            ([0x13, 0x80, 0, 0, 0, 0, 0, 0, 0], Int.min),
            ([0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7], 7),
            ([0x14] + Array(repeating: 0xFF, count: 16), -1),
        ] as [([UInt8], Int)]
    )
    func `integers of every size are read from a binary property list`(object: [UInt8], number: Int) throws {
        #expect(try read(BinaryFile(object)).integer == number)
    }

    @Test func `an integer above the signed 64-bit maximum is read as unsigned`() throws {
        let object: [UInt8] = [0x14, 0, 0, 0, 0, 0, 0, 0, 0] + Array(repeating: 0xFF, count: 8)
        let value = try read(BinaryFile(object))

        #expect(value.integer == nil)
        #expect(value.unsignedInteger == .max)
    }

    @Test func `reals, dates, booleans, data and UIDs are read from a binary property list`() throws {
        let root = try read(
            BinaryFile(
                [0xA7, 1, 2, 3, 4, 5, 6, 7], [0x22, 0x3F, 0x80, 0, 0],
                [0x23, 0x40, 0x09, 0x21, 0xFB, 0x54, 0x44, 0x2D, 0x18],
                [0x33, 0, 0, 0, 0, 0, 0, 0, 0], [0x09], [0x08], [0x43, 1, 2, 3], [0x81, 1, 2]))

        #expect(root.elements.map(\.kind) == [.real, .real, .date, .boolean, .boolean, .data, .uid])
        #expect(root.elements[0].real == 1)
        #expect(root.elements[1].real == .pi)
        #expect(root.elements[2].date == Date(timeIntervalSinceReferenceDate: 0))
        #expect(root.elements[3].boolean == true)
        #expect(root.elements[5].data == Data([1, 2, 3]))
        #expect(root.elements[6].uid == 258)
    }

    @Test func `strings in ASCII, UTF-16 and UTF-8 are read from a binary property list`() throws {
        let root = try read(
            BinaryFile(
                [0xA4, 1, 2, 3, 4], [0x52, 0x68, 0x69], [0x61, 0x67, 0x71], [0x73, 0xE6, 0x9D, 0xB1],
                [0x62, 0xD8, 0x3D, 0xDD, 0xFC]))

        #expect(root.elements.map(\.string) == ["hi", "東", "東", "🗼"])
    }

    @Test func `a string whose length is a separate integer is read from a binary property list`() throws {
        let text = Array(repeating: UInt8(ascii: "x"), count: 300)

        #expect(try read(BinaryFile([0x5F, 0x11, 0x01, 0x2C] + text)).string?.count == 300)
    }

    @Test func `a binary dictionary is read with the order, duplicate keys and positions of its entries`() throws {
        let root = try read(BinaryFile([0xD3, 1, 2, 1, 3, 4, 3], [0x51, 0x62], [0x51, 0x61], [0x10, 7], [0x09]))

        #expect(root.entries.map(\.key) == ["b", "a", "b"])
        #expect(root.entries.map(\.value.kind) == [.integer, .boolean, .integer])
        #expect(root["b"]?.integer == 7)
        #expect(root.position == SourcePosition(byteOffset: 8))
        #expect(root.entries[1].keyPosition == SourcePosition(byteOffset: 17))
        #expect(root.entries[1].value.position == SourcePosition(byteOffset: 21))
        #expect("\(root.entries[1].value.position)" == "@21")
        #expect(root.position.line == nil)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 8], [1, 2, 3, 4, 7, 8])
    func `object offsets and references of every size are read from a binary property list`(
        offsetSize: Int, referenceSize: Int
    ) throws {
        let zeros = [UInt8](repeating: 0, count: referenceSize - 1)
        var file = BinaryFile([0xA2] + zeros + [1] + zeros + [2], [0x10, 1], [0x10, 2])
        (file.offsetSize, file.referenceSize) = (offsetSize, referenceSize)

        #expect(try read(file).elements.map(\.integer) == [1, 2])
    }

    @Test func `a scalar that a binary property list references several times is read at each reference`() throws {
        let root = try read(BinaryFile([0xA3, 1, 1, 1], [0x51, 0x61]))

        #expect(root.elements.map(\.string) == ["a", "a", "a"])
    }

    struct Defect: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let file: BinaryFile
        let code: PropertyListError.Code

        init(_ description: String, _ file: BinaryFile) { self.init(description, .malformedBinary, file) }

        init(_ description: String, _ code: PropertyListError.Code, _ file: BinaryFile) {
            testDescription = description
            self.file = file
            self.code = code
        }
    }

    private static func file(_ objects: [UInt8]..., change: (inout BinaryFile) -> Void = { _ in }) -> BinaryFile {
        var file = BinaryFile()
        file.objects = objects
        change(&file)
        return file
    }

    @Test(arguments: [
        Defect("null", .invalidStructure, file([0x00])),
        Defect("a filler", file([0x0F])),
        Defect("a URL", file([0x0C])),
        Defect("an unknown marker", file([0x90])),
        Defect("a set", .invalidStructure, file([0xC1, 1], [0x09])),
        Defect("an ordered set", .invalidStructure, file([0xB1, 1], [0x09])),
        Defect("a whole number of 32 bytes", file([0x15] + Array(repeating: 0, count: 32))),
        Defect("a whole number past 64 bits", .invalidValue, file([0x14, 1] + Array(repeating: 0, count: 15))),
        Defect(
            "a whole number far below zero", .invalidValue, file([0x14, 0xFF, 0xFE] + Array(repeating: 0, count: 14))),
        Defect("a number with a fraction of 2 bytes", file([0x21, 0, 0])),
        Defect("a date that is not a number", .invalidValue, file([0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0])),
        Defect("a date far away", .invalidValue, file([0x33, 0x7F, 0xEF, 0, 0, 0, 0, 0, 0])),
        Defect("a UID of 9 bytes", file([0x88] + Array(repeating: 0, count: 9))),
        Defect("a string that goes on into the table", file([0x55, 0x61])),
        Defect("a string of 2^62 units", file([0x6F, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0])),
        Defect("a string of 2^63 bytes", file([0x5F, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0])),
        Defect("a count that is a string", file([0x5F, 0x51, 0x61])),
        Defect("a count of 16 bytes", file([0x5F, 0x14] + Array(repeating: 0, count: 16))),
        Defect("ASCII that is not", file([0x51, 0xE9])),
        Defect("half a surrogate pair", file([0x61, 0xD8, 0x00])),
        Defect("UTF-8 that is not", file([0x71, 0xFF])),
        Defect("an array of 2^60 values", file([0xAF, 0x13, 0x10, 0, 0, 0, 0, 0, 0, 0])),
        Defect("a dictionary with more room for keys than for values", file([0xD2, 1, 1, 1], [0x51, 0x61])),
        Defect("a key that is a number", file([0xD1, 1, 1], [0x10, 1])),
        Defect("a key that is a container", file([0xD1, 1, 1], [0xA0])),
        Defect("a reference to no object", file([0xA1, 9])),
        Defect("an array in itself", .invalidStructure, file([0xA1, 0])),
        Defect("a dictionary in its value", .invalidStructure, file([0xD1, 1, 2], [0x51, 0x61], [0xA1, 0])),
        Defect("a long way round to itself", .invalidStructure, file([0xA1, 1], [0xA1, 2], [0xA1, 0])),
        Defect("an object in the header", file([0xA1, 1], [0x09]) { $0.offsets = [1: 3] }),
        Defect("an object in the table", file([0xA1, 1], [0x09]) { $0.offsets = [1: 11] }),
        Defect("an object past the end", file([0xA1, 1], [0x09]) { $0.offsets = [1: 200] }),
        Defect("a top object that is not there", file([0x09]) { $0.top = 1 }),
        Defect("no object", file([0x09]) { $0.count = 0 }),
        Defect("more objects than the file has bytes", file([0x09]) { $0.count = 1 << 40 }),
        Defect("as many objects as can be said", file([0x09]) { $0.count = -1 }),
        Defect("offsets of no size", file([0x09]) { $0.offsetSize = 0 }),
        Defect("offsets of 9 bytes", file([0x09]) { $0.offsetSize = 9 }),
        Defect("references of no size", file([0xA1, 1], [0x09]) { $0.referenceSize = 0 }),
        Defect("a table in the header", file([0x09]) { $0.tableOffset = 4 }),
        Defect("a table past the end", file([0x09]) { $0.tableOffset = 1 << 40 }),
        Defect("a table that is negative", file([0x09]) { $0.tableOffset = -8 }),
    ])
    func `a malformed binary property list is refused with the byte offset of the error`(_ defect: Defect) throws {
        let found = try #require(error(defect.file))

        #expect(found.code == defect.code)
        #expect(found.position?.byteOffset != nil)
        #expect(found.reason.count > 10)
    }

    @Test func `an unknown version or a truncated header of a binary property list is refused`() {
        for text in ["bplist00", "bplist16", "bplist1", "bplist"] {
            #expect(throws: PropertyListError.self) { try PropertyListDocument(bytes: Array(text.utf8)) }
        }
    }

    @Test func `binary containers nested deeper than the limit are refused`() throws {
        func nested(_ depth: Int) -> BinaryFile {
            var file = BinaryFile()
            (file.offsetSize, file.referenceSize) = (2, 2)
            file.objects = (1...depth).map { [0xA1, UInt8($0 >> 8), UInt8($0 & 0xFF)] } + [[0x09]]
            return file
        }

        #expect(try read(nested(128)).kind == .array)
        #expect(error(nested(129))?.code == .limitExceeded)
        #expect(error(nested(20_000))?.code == .limitExceeded)
    }

    @Test func `nested binary references that expand to millions of values are refused`() throws {
        var bomb = BinaryFile()
        bomb.objects = (1...28).map { [0xA2, UInt8($0), UInt8($0)] } + [[0x09]]

        #expect(bomb.bytes.count < 200)
        #expect(error(bomb)?.code == .limitExceeded)
    }

    /// Returns a file with a string of a number of kilobytes, and several references to it.
    private func repeated(kilobytes: UInt8, times: Int) -> BinaryFile {
        var file = BinaryFile()
        (file.offsetSize, file.referenceSize) = (4, 2)
        let references = [UInt8]((0..<times).flatMap { _ in [0, 1] as [UInt8] })
        let text = Array(repeating: UInt8(ascii: "x"), count: Int(kilobytes) * 1_024)
        file.objects = [
            [0xAF, 0x11, UInt8(times >> 8), UInt8(times & 0xFF)] + references,
            [0x5F, 0x12, 0, 0, kilobytes << 2, 0] + text,
        ]
        return file
    }

    @Test func `a thousand references to one string of 50 KiB in a binary property list are read`() throws {
        let root = try read(repeated(kilobytes: 50, times: 1_000))

        #expect(root.count == 1_000)
        #expect(root.elements.last?.string?.utf8.count == 50 * 1_024)
    }

    @Test func `binary references that repeat a string until it expands to gigabytes are refused`() {
        let error = error(repeated(kilobytes: 60, times: 60_000))

        #expect(error?.code == .limitExceeded)
        #expect(error?.reason.hasSuffix("expand to more than 67108864 bytes") == true)
    }

    @Test func `overlapping data objects of a binary property list are read`() throws {
        var file = BinaryFile()
        (file.offsetSize, file.referenceSize) = (4, 2)
        let count = 1_000
        // Each object begins five bytes after the one before it, and all end together.
        func twoBytes(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
        let headers = (0..<count).reversed().map { [0x4F, 0x12, 0, 0] + twoBytes($0 * 6) }
        var array: [UInt8] = [0xAF, 0x11] + twoBytes(count)
        for object in 1...count { array += twoBytes(object) }
        file.objects = [array] + headers

        #expect(try read(file).elements.first?.data?.count == (count - 1) * 6)
    }

    private static let small = BinaryFile(
        [0xD2, 1, 2, 3, 4], [0x51, 0x61], [0x61, 0x67, 0x71], [0xA3, 5, 6, 7], [0x43, 1, 2, 3], [0x10, 7],
        [0x33, 0x41, 0xC5, 0, 0, 0, 0, 0, 0], [0x23, 0x40, 0x09, 0x21, 0xFB, 0x54, 0x44, 0x2D, 0x18])

    @Test func `a binary property list truncated at any byte is refused`() throws {
        let bytes = Self.small.bytes
        #expect(try PropertyListDocument(bytes: bytes).root.count == 2)
        for count in 0..<bytes.count {
            #expect(throws: PropertyListError.self) { try PropertyListDocument(bytes: Array(bytes[..<count])) }
        }
    }

    @Test func `a binary property list with any bit flipped is read or refused without a crash`() {
        let bytes = Self.small.bytes
        var refused = 0
        for bit in 0..<(bytes.count * 8) {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            do {
                let document = try PropertyListDocument(bytes: flipped)
                #expect(throws: Never.self) { try PropertyListDocument(bytes: document.bytes(as: .binary)) }
            } catch {
                #expect(!error.reason.isEmpty)
                refused += 1
            }
        }
        #expect(refused > bytes.count)
    }
}
