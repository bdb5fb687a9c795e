internal import Foundation
internal import VitrineCatalog
internal import VitrinePropertyList

/// Reader that follows the references between the objects of a keyed archive.
struct KeyedArchiveReader {
    private let objects: [PropertyListValue]
    private let limits: KeyedArchive.Limits
    /// Number of values that may still be read before the limit of values is reached.
    private var left: Int
    /// Indexes of the objects that are being read, from the root to the innermost, to detect cycles.
    private var path: [Int] = []
    private var classes: [Int: ArchivedClass] = [:]

    private struct ArchivedClass {
        let name: String
        let kind: Kind?
    }

    /// Classes of Foundation whose instances are read as values, including instances of their subclasses.
    private enum Kind: String {
        case null = "NSNull"
        case string = "NSString"
        case data = "NSData"
        case date = "NSDate"
        case array = "NSArray"
        case dictionary = "NSDictionary"
    }

    init(objects: [PropertyListValue], limits: KeyedArchive.Limits) {
        self.objects = objects
        self.limits = limits
        left = limits.values
    }

    /// Reads a value that an object contains, or the object that the value references.
    mutating func read(_ value: PropertyListValue, depth: Int) throws(UnusableValue) -> ArchivedValue {
        guard depth < limits.depth else {
            throw UnusableValue(reason: "contains values nested more than \(limits.depth) levels deep")
        }
        try spend(1)
        switch value.kind {
        case .uid: return try readObject(value, depth: depth)
        case .boolean: return .boolean(value.boolean ?? false)
        case .integer, .real: return .number(try number(value))
        case .string: return .string(try string(value))
        case .data: return .data(try data(value))
        case .date: return .date(value.date ?? .distantPast)
        case .array: return .array(try readAll(value, depth: depth))
        case .dictionary: return .dictionary(try readFields(value, depth: depth))
        }
    }

    // MARK: Objects

    private mutating func readObject(_ reference: PropertyListValue, depth: Int) throws(UnusableValue) -> ArchivedValue
    {
        let number = try target(of: reference)
        let object = objects[number]
        guard !path.contains(number) else { throw UnusableValue(reason: "contains an object that contains itself") }
        path.append(number)
        defer { path.removeLast() }
        guard object.kind == .dictionary else {
            let value = try read(object, depth: depth + 1)
            return value == .string("$null") ? .null : value
        }
        try spend(object.count)
        let archivedClass = try archivedClass(of: object)
        switch archivedClass.kind {
        case .null: return .null
        case .string: return .string(try string(field("NS.string", of: object, in: archivedClass)))
        case .data: return .data(try data(field("NS.data", of: object, in: archivedClass)))
        case .date: return .date(try date(field("NS.time", of: object, in: archivedClass)))
        case .array: return .array(try readAll(field("NS.objects", of: object, in: archivedClass), depth: depth + 1))
        case .dictionary: return .dictionary(try readDictionary(object, of: archivedClass, depth: depth + 1))
        case nil: return .object(className: archivedClass.name, fields: try readFields(object, depth: depth + 1))
        }
    }

    /// Returns the index of the object that is referenced.
    private func target(of reference: PropertyListValue) throws(UnusableValue) -> Int {
        guard let number = reference.uid.flatMap(Int.init(exactly:)), number < objects.count else {
            throw UnusableValue(reason: "refers to an object that does not exist")
        }
        return number
    }

    private mutating func archivedClass(of object: PropertyListValue) throws(UnusableValue) -> ArchivedClass {
        guard let reference = object["$class"] else {
            throw UnusableValue(reason: "contains an object without a class")
        }
        let number = try target(of: reference)
        if let known = classes[number] { return known }
        try spend(objects[number].count)
        guard let name = objects[number]["$classname"] else {
            throw UnusableValue(reason: "contains a class without a name")
        }
        let ancestors = objects[number]["$classes"]?.elements ?? []
        try spend(ancestors.count)
        let className = try string(name)
        let kind =
            Kind(rawValue: className) ?? ancestors.lazy.compactMap { $0.string.flatMap(Kind.init(rawValue:)) }.first
        let found = ArchivedClass(name: className, kind: kind)
        classes[number] = found
        return found
    }

    private func field(
        _ key: String, of object: PropertyListValue, in archivedClass: ArchivedClass
    ) throws(UnusableValue) -> PropertyListValue {
        guard let value = object[key] else {
            throw UnusableValue(reason: "contains an object of the class \(archivedClass.name.quoted) without \(key)")
        }
        return value
    }

    private mutating func readDictionary(
        _ object: PropertyListValue, of archivedClass: ArchivedClass, depth: Int
    ) throws(UnusableValue) -> [String: ArchivedValue] {
        let keys = try readAll(field("NS.keys", of: object, in: archivedClass), depth: depth)
        let values = try readAll(field("NS.objects", of: object, in: archivedClass), depth: depth)
        guard keys.count == values.count else {
            throw UnusableValue(reason: "contains a dictionary with \(keys.count) keys and \(values.count) values")
        }
        var dictionary: [String: ArchivedValue] = [:]
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = key else {
                throw UnusableValue(reason: "contains a dictionary with \(key.typeName) as a key")
            }
            guard dictionary.updateValue(value, forKey: name) == nil else {
                throw UnusableValue(reason: "contains a dictionary with the key \(name.quoted) twice")
            }
        }
        return dictionary
    }

    private mutating func readFields(
        _ object: PropertyListValue, depth: Int
    ) throws(UnusableValue) -> [String: ArchivedValue] {
        var fields: [String: ArchivedValue] = [:]
        for entry in object.entries where entry.key != "$class" {
            try spend(entry.key.utf8.count / Self.bytesAsValue)
            fields[entry.key] = try read(entry.value, depth: depth + 1)
        }
        return fields
    }

    private mutating func readAll(_ array: PropertyListValue, depth: Int) throws(UnusableValue) -> [ArchivedValue] {
        guard array.kind == .array else {
            throw UnusableValue(reason: "contains \(array.kind.typeName) where an array is required")
        }
        try spend(array.count)
        var values: [ArchivedValue] = []
        for element in array.elements { values.append(try read(element, depth: depth + 1)) }
        return values
    }

    // MARK: Single values

    private func number(_ value: PropertyListValue) throws(UnusableValue) -> ForeignNumber {
        if let integer = value.integer { return .integer(integer) }
        guard let real = value.real ?? value.unsignedInteger.map({ Double($0) }) else {
            throw UnusableValue(reason: "contains \(value.kind.typeName) where a number is required")
        }
        return .real(real)
    }

    private mutating func string(_ value: PropertyListValue) throws(UnusableValue) -> String {
        guard let string = value.string else {
            throw UnusableValue(reason: "contains \(value.kind.typeName) where a string is required")
        }
        try spend(string.utf8.count / Self.bytesAsValue)
        return string
    }

    private mutating func data(_ value: PropertyListValue) throws(UnusableValue) -> Data {
        guard let data = value.data else {
            throw UnusableValue(reason: "contains \(value.kind.typeName) where data is required")
        }
        try spend(data.count / Self.bytesAsValue)
        return data
    }

    private func date(_ value: PropertyListValue) throws(UnusableValue) -> Date {
        let seconds = try number(value).real
        guard Self.years1To9999.contains(seconds) else {
            throw UnusableValue(reason: "contains a date outside the years 1 to 9999")
        }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// Dates of the years 1 to 9999, in seconds since 2001.
    private static let years1To9999 = -63_113_904_000.0..<252_423_993_600.0

    /// Number of bytes of data or text that count as one value toward the limit of values.
    private static let bytesAsValue = 64

    private mutating func spend(_ count: Int) throws(UnusableValue) {
        left -= count
        guard left >= 0 else { throw UnusableValue(reason: "contains more than \(limits.values) values") }
    }
}

/// Binary archive written by `NSKeyedArchiver`.
///
/// `NSKeyedUnarchiver` is for trusted files: it creates objects of the classes that a file names, and Foundation's
/// parser of binary property lists is not safe for hostile files. Here, an archive becomes a tree of values that
/// contains each object as often as it is referenced. The size of the tree is limited, and an object that contains
/// itself is rejected.
struct KeyedArchive {
    let root: ArchivedValue

    struct Limits: Sendable {
        /// Maximum size of the file in bytes.
        var size = 4 * 1024 * 1024
        /// Maximum nesting depth of values.
        var depth = 32
        /// Maximum number of values of all types together, each counted as often as it is referenced.
        var values = 100_000
    }

    /// Reads an archive.
    ///
    /// - Throws: ``UnusableValue`` with the reason if the bytes are not an archive, or the archive exceeds the limits.
    init(bytes: [UInt8], limits: Limits = Limits()) throws(UnusableValue) {
        var list = PropertyListLimits()
        list.size = limits.size
        let document = try LegacyFile.propertyList(bytes, limits: list)
        try self.init(document: document, limits: limits)
    }

    init(document: PropertyListDocument, limits: Limits = Limits()) throws(UnusableValue) {
        let archive = document.root
        guard document.format == .binary, archive["$archiver"]?.string == "NSKeyedArchiver" else {
            throw UnusableValue(reason: "is not a keyed archive")
        }
        guard archive["$version"]?.integer == Self.version else {
            throw UnusableValue(reason: "is a keyed archive of an unknown version")
        }
        guard let objects = archive["$objects"], objects.kind == .array, let top = archive["$top"],
            let reference = top[Self.rootKey] ?? top[Self.unnamedKey]
        else { throw UnusableValue(reason: "is a keyed archive without objects or without a root") }
        var reader = KeyedArchiveReader(objects: objects.elements, limits: limits)
        root = try reader.read(reference, depth: 0)
    }

    private static let version = 100_000
    /// Key of the root object, as set by `archivedData(withRootObject:)`.
    private static let rootKey = "root"
    /// Key of the first object that was encoded without a key.
    private static let unnamedKey = "$0"
}

enum ArchivedValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case number(ForeignNumber)
    case string(String)
    case data(Data)
    case date(Date)
    case array([ArchivedValue])
    case dictionary([String: ArchivedValue])
    /// Object of any other class, with the fields that it has encoded.
    case object(className: String, fields: [String: ArchivedValue])

    /// Name of the value's type with its article, for messages.
    var typeName: String {
        switch self {
        case .null: "null"
        case .boolean: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .data: "data"
        case .date: "a date"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .object(let className, _): "an object of the class \(className.quoted)"
        }
    }
}
