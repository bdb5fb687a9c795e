internal import Foundation
internal import ProductCatalog
internal import PropertyList

/// Binary archive written by `NSKeyedArchiver`.
///
/// `NSKeyedUnarchiver` is for trusted files: it creates objects of the classes that a file names, and Foundation's
/// parser of binary property lists is not safe against hostile ones. Here, an archive becomes a tree of values, in
/// which each object occurs as often as it is referenced. The size of the tree is limited, and an object that contains
/// itself is rejected.
struct KeyedArchive {
    let root: ArchivedValue

    /// Limits for an archive.
    struct Limits: Sendable {
        /// Maximum size of the file in bytes.
        var size = 4 * 1024 * 1024
        /// Maximum nesting depth of values.
        var depth = 32
        /// Maximum number of values of all types together, each counted as often as it is referenced.
        var values = 100_000
    }

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

/// Value of a keyed archive.
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

    /// Type of value, with its article.
    var inWords: String {
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
