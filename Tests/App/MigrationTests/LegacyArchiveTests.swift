import Foundation
import Testing
import Vitrine
import VitrineTestSupport

@testable import VitrineMigration

@Suite(.hangLimit) struct LegacyArchiveTests {
    private typealias Part = ArchiveFile.Part

    private func read(_ file: ArchiveFile, limits: KeyedArchive.Limits = .init()) throws -> ArchivedValue {
        try KeyedArchive(bytes: file.bytes, limits: limits).root
    }

    @Test func `a keyed archive written by Foundation is read`() throws {
        let object: NSDictionary = [
            "null": NSNull(), "yes": true, "seven": 7, "half": 0.5, "text": "Lisboa",
            "mutable": NSMutableString(string: "Porto"), "data": NSData(data: Data([1, 2])),
            "date": NSDate(timeIntervalSinceReferenceDate: 5), "array": NSMutableArray(array: ["a", "a"]),
        ]
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)

        #expect(
            try KeyedArchive(bytes: Array(data)).root
                == .dictionary([
                    "null": .null, "yes": .boolean(true), "seven": .number(.integer(7)), "half": .number(.real(0.5)),
                    "text": .string("Lisboa"), "mutable": .string("Porto"), "data": .data(Data([1, 2])),
                    "date": .date(Date(timeIntervalSinceReferenceDate: 5)),
                    "array": .array([.string("a"), .string("a")]),
                ]))
    }

    @Test func `an archived object whose class inherits from a Foundation class is read as that Foundation class`()
        throws
    {
        let file = ArchiveFile(
            ArchiveFile.object(classAt: 2, [("NS.keys", .array([.uid(3)])), ("NS.objects", .array([.uid(0)]))]),
            ArchiveFile.classNamed("PurchaseRecord", "NSMutableDictionary", "NSDictionary", "NSObject"),
            .string("lisbon"))

        #expect(try read(file) == .dictionary(["lisbon": .null]))
    }

    @Test func `an archived object of an unknown class is read with its fields, and the root key may have any name`()
        throws
    {
        var file = ArchiveFile(
            ArchiveFile.object(
                classAt: 2, [("consumed", .boolean(true)), ("note", .uid(0)), ("list", .array([.uid(3)]))]),
            ArchiveFile.classNamed("RMStoreTransaction", "NSObject"), .string("x"))
        file.top = .dictionary([("$0", .uid(1))])

        #expect(
            try read(file)
                == .object(
                    className: "RMStoreTransaction",
                    fields: ["consumed": .boolean(true), "note": .null, "list": .array([.string("x")])]))
    }

    @Test func `an archived integer above the largest signed 64-bit value is read as a floating-point number`() throws {
        let file = ArchiveFile(.encoded([0x14] + Array(repeating: 0, count: 8) + Array(repeating: 0xFF, count: 8)))

        #expect(try read(file) == .number(.real(0x1p64)))
    }

    // MARK: What is refused

    struct Refused: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let bytes: [UInt8]

        init(_ description: String, _ reason: String, _ file: ArchiveFile) {
            testDescription = description
            self.reason = reason
            bytes = file.bytes
        }

        init(_ description: String, _ reason: String, _ objects: ArchiveFile.Part...) {
            self.init(description, reason, ArchiveFile(objects: objects))
        }

        init(_ description: String, _ reason: String, change: (inout ArchiveFile) -> Void) {
            var file = ArchiveFile(.string("x"))
            change(&file)
            self.init(description, reason, file)
        }
    }

    private static func array(_ parts: Part...) -> Part {
        ArchiveFile.object(classAt: 2, [("NS.objects", .array(parts))])
    }

    private static let arrayClass = ArchiveFile.classNamed("NSArray", "NSObject")

    /// Returns nested arrays, each of which refers to the next one several times. Their class is the second object.
    private static func chain(length: Int, width: Int) -> ArchiveFile {
        var objects = [array(), arrayClass]
        objects[0] = ArchiveFile.object(
            classAt: 2, [("NS.objects", .array(Array(repeating: .uid(3), count: width)))])
        for number in 3..<(3 + length) {
            objects.append(
                ArchiveFile.object(
                    classAt: 2, [("NS.objects", .array(Array(repeating: .uid(number + 1), count: width)))]))
        }
        return ArchiveFile(objects: objects + [.string("x")])
    }

    static let refused: [Refused] = [
        Refused("another archiver", "is not a keyed archive") { $0.archiver = "NSArchiver" },
        Refused("another version", "is a keyed archive of an unknown version") { $0.version = 100_001 },
        Refused("no root", "is a keyed archive without objects or without a root") { $0.top = .dictionary([]) },
        Refused("a top that is no dictionary", "is a keyed archive without objects or without a root") {
            $0.top = .uid(1)
        },
        Refused("a root that is not there", "refers to an object that does not exist") {
            $0.top = .dictionary([("root", .uid(2))])
        },
        Refused("a UID far out of range", "refers to an object that does not exist") {
            $0.top = .dictionary([("root", .uid(-1))])
        },
        Refused("a class that is not there", "refers to an object that does not exist", array()),
        Refused(
            "an element that is not there", "refers to an object that does not exist", array(.uid(9)), arrayClass),
        Refused("an array in itself", "contains an object that contains itself", array(.uid(1)), arrayClass),
        Refused(
            "an array in an array in itself", "contains an object that contains itself", array(.uid(3)), arrayClass,
            array(.uid(1))),
        Refused("a string that is a reference to itself", "contains an object that contains itself", .uid(1)),
        Refused(
            "a hundred arrays in each other", "contains values nested more than 32 levels deep",
            chain(length: 100, width: 1)),
        Refused("ten arrays of ten of the next", "contains more than 100000 values", chain(length: 10, width: 10)),
        Refused(
            "a long string again and again", "contains more than 100000 values",
            array(.array(Array(repeating: .uid(3), count: 2_000))), arrayClass,
            .string(String(repeating: "x", count: 40_000))),
        Refused(
            "a long key again and again", "contains more than 100000 values",
            array(.array(Array(repeating: .uid(3), count: 2_000))), arrayClass,
            ArchiveFile.object(classAt: 4, [(String(repeating: "x", count: 40_000), .boolean(true))]),
            ArchiveFile.classNamed("Purchase", "NSObject")),
        Refused("an object without a class", "contains an object without a class", .dictionary([("a", .uid(0))])),
        Refused(
            "a class without a name", "contains a class without a name", array(),
            .dictionary([("$classes", .array([]))])),
        Refused(
            "a class whose name is a number", "contains an integer where a string is required", array(),
            .dictionary([("$classname", .integer(7))])),
        Refused("a class that is a string", "contains a class without a name", array(), .string("NSArray")),
        Refused(
            "a class that is a string instead of a reference", "refers to an object that does not exist",
            .dictionary([("$class", .string("NSArray"))])),
        Refused(
            "an array without objects", "contains an object of the class \"NSArray\" without NS.objects",
            ArchiveFile.object(classAt: 2, []), arrayClass),
        Refused(
            "an array whose objects are none", "contains a string where an array is required",
            ArchiveFile.object(classAt: 2, [("NS.objects", .string("x"))]), arrayClass),
        Refused(
            "a date that is text", "contains a string where a number is required",
            ArchiveFile.object(classAt: 2, [("NS.time", .string("now"))]), ArchiveFile.classNamed("NSDate")),
        Refused(
            "a date that is too late", "contains a date outside the years 1 to 9999",
            ArchiveFile.object(classAt: 2, [("NS.time", .integer(.max))]), ArchiveFile.classNamed("NSDate")),
        Refused(
            "data that is text", "contains a string where data is required",
            ArchiveFile.object(classAt: 2, [("NS.data", .string("x"))]), ArchiveFile.classNamed("NSData")),
        Refused(
            "more keys than values", "contains a dictionary with 2 keys and 1 values",
            ArchiveFile.object(
                classAt: 2, [("NS.keys", .array([.uid(3), .uid(3)])), ("NS.objects", .array([.uid(0)]))]),
            ArchiveFile.classNamed("NSDictionary"), .string("a")),
        Refused(
            "the same key twice", "contains a dictionary with the key \"a\" twice",
            ArchiveFile.object(
                classAt: 2, [("NS.keys", .array([.uid(3), .uid(3)])), ("NS.objects", .array([.uid(0), .uid(0)]))]),
            ArchiveFile.classNamed("NSDictionary"), .string("a")),
        Refused(
            "a key that is no string", "contains a dictionary with null as a key",
            ArchiveFile.object(classAt: 2, [("NS.keys", .array([.uid(0)])), ("NS.objects", .array([.uid(0)]))]),
            ArchiveFile.classNamed("NSDictionary")),
    ]

    @Test(arguments: refused)
    func `a malformed or excessively large keyed archive is refused with the reason`(archive: Refused) throws {
        let error = #expect(throws: UnusableValue.self) { try KeyedArchive(bytes: archive.bytes) }

        #expect(error?.reason == archive.reason)
    }

    @Test func `in a keyed archive, each reference to an object counts all its keys toward the limit of values`() throws
    {
        let wide = ArchiveFile.object(classAt: 4, (0..<10_000).map { ("\($0)", .boolean(true)) })
        let file = ArchiveFile(
            Self.array(.array(Array(repeating: .uid(3), count: 10_000))), Self.arrayClass, wide,
            ArchiveFile.classNamed("Wide", "NSObject"))

        let error = #expect(throws: UnusableValue.self) { try read(file) }
        #expect(error?.reason == "contains more than 100000 values")
    }

    @Test func `a keyed archive in XML format is refused`() throws {
        let text = PlistText.document(
            "<dict><key>$archiver</key><string>NSKeyedArchiver</string></dict>")

        let error = #expect(throws: UnusableValue.self) { try KeyedArchive(bytes: Array(text.utf8)) }
        #expect(error?.reason == "is not a keyed archive")
    }
}
