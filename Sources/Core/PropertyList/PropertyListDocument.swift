public import VitrineSupport

/// A parsed property list, or JSON read as one: each value with its type and its position in the file.
///
/// The document is flat: all values are stored in one array in file order, and their characters in one buffer.
/// ``PropertyListValue`` is a lightweight view of one value. Parsing a file of any depth needs no recursion, and a
/// value needs no allocation of its own.
///
/// ```swift
/// let document = try PropertyListDocument(bytes: Array(data))
/// for product in document.root.elements {
///     print(product.position, product["productIdentifier"]?.string ?? "no identifier")
/// }
/// ```
public struct PropertyListDocument: Sendable {
    let storage: DocumentStorage

    /// Format of the parsed file.
    public let format: PropertyListFormat

    /// Parses a property list in XML (Apple's PropertyList-1.0 document type, in any encoding that libxml2 supports) or
    /// in the binary format, or an object or array in JSON (RFC 8259).
    ///
    /// JSON has neither data nor dates. Under the keys `expires`, `beforeDate` and `until`, which hold dates in
    /// catalogs, a string in the form "2030-03-01T00:00:00Z" is read as a date, except inside `userInfo`.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - limits: Maximum sizes, counts and depth.
    /// - Throws: ``PropertyListError`` with the position of the first error, or with the name of the file's actual
    ///   format. Only `bytes` is read: a document type declaration with an internal subset is rejected.
    public init(bytes: [UInt8], limits: PropertyListLimits = PropertyListLimits()) throws(PropertyListError) {
        guard bytes.count <= limits.size else {
            throw PropertyListError(code: .limitExceeded, reason: "the file has more than \(limits.size) bytes")
        }
        format = try PropertyListFormat.of(bytes)
        switch format {
        case .binary: storage = try BinaryReader.read(bytes, limits: limits)
        case .json:
            do {
                storage = try JSONReader.read(bytes, limits: limits)
            } catch {
                throw Self.naming(conflictIn: bytes, .malformedJSON, insteadOf: error)
            }
        case .xml:
            if let plain = PlainXMLReader.read(bytes, limits: limits) {
                storage = plain
                return
            }
            let utf8 = try TextEncoding.utf8(of: bytes)
            guard utf8.count <= PropertyListLimits.largestSize else {
                throw PropertyListError(
                    code: .limitExceeded,
                    reason: "the text has more than \(PropertyListLimits.largestSize) bytes in UTF-8")
            }
            do {
                try PropertyListFormat.checkText(utf8)
                try TagScan.checkLengths(utf8)
                storage = try XMLReader.read(SourceText(utf8), limits: limits)
            } catch {
                throw Self.naming(conflictIn: utf8, .malformedXML, insteadOf: error)
            }
        }
    }

    /// Returns an error that names the conflict markers of a text; without them, the error of its reader.
    private static func naming(
        conflictIn text: [UInt8], _ code: PropertyListError.Code, insteadOf error: PropertyListError
    ) -> PropertyListError {
        guard let offset = ConflictMarker.offset(in: text) else { return error }
        return PropertyListError(
            code: code, reason: ConflictMarker.reason, position: LineTable(text).position(at: offset, in: text))
    }

    /// The UTF-8 text of a file in XML or JSON, which the source ranges of values refer to; or the bytes of a binary
    /// file.
    package var source: [UInt8] { storage.text.bytes }

    /// Root value of the property list.
    public var root: PropertyListValue { PropertyListValue(storage: storage, index: 0) }
}
