internal import Foundation
internal import PropertyList

/// What `NSKeyedArchiver` has written, in binary.
///
/// `NSKeyedUnarchiver` is for files that one trusts: it makes objects of the classes that a file names, and Foundation's
/// reader of binary property lists gives in to hostile ones. Here, an archive becomes a tree of values, in which each
/// object stands as often as it is referred to; how large the tree may get is bounded, and an object that contains itself
/// is refused.
struct KeyedArchive {
    let root: ArchivedValue

    /// What an archive may ask for at most.
    struct Limits: Sendable {
        /// Bytes of the file.
        var size = 4 * 1024 * 1024
        /// Values inside each other.
        var depth = 32
        /// Values of all kinds together, each counted as often as it is referred to.
        var values = 100_000
    }

    /// - Throws: ``UnusableValue`` that says why the bytes are no archive, or one that asks for too much.
    init(bytes: [UInt8], limits: Limits = Limits()) throws(UnusableValue) {
        var list = PropertyListLimits()
        list.size = limits.size
        let document = try PredecessorFile.propertyList(bytes, limits: list)
        try self.init(document: document, limits: limits)
    }

    init(document: PropertyListDocument, limits: Limits = Limits()) throws(UnusableValue) {
        let archive = document.root
        guard document.format == .binary, archive["$archiver"]?.string == "NSKeyedArchiver" else {
            throw UnusableValue(reason: "is no keyed archive")
        }
        guard archive["$version"]?.integer == Self.version else {
            throw UnusableValue(reason: "is a keyed archive of a version that is not known")
        }
        guard let objects = archive["$objects"], objects.kind == .array, let top = archive["$top"],
            let reference = top[Self.rootKey] ?? top[Self.unnamedKey]
        else { throw UnusableValue(reason: "is a keyed archive without objects or without a root") }
        var reader = KeyedArchiveReader(objects: objects.elements, limits: limits)
        root = try reader.read(reference, depth: 0)
    }

    private static let version = 100_000
    /// The name of the root object, as `archivedData(withRootObject:)` gives it.
    private static let rootKey = "root"
    /// The name of the first object that was encoded without a key.
    private static let unnamedKey = "$0"
}

/// A value of a keyed archive.
enum ArchivedValue: Sendable, Equatable {
    case null
    case boolean(Bool)
    case number(ForeignNumber)
    case string(String)
    case data(Data)
    case date(Date)
    case array([ArchivedValue])
    case dictionary([String: ArchivedValue])
    /// An object of any other class, with what it has encoded.
    case object(className: String, fields: [String: ArchivedValue])

    /// The kind of value, with its article.
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
