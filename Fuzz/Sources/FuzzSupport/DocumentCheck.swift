internal import VitrinePropertyList
internal import VitrineSupport

/// What a document promises once it has been read, and what its copies in other formats do.
public struct DocumentCheck {
    private let document: PropertyListDocument
    /// The length of the file.
    private let size: Int

    /// Looking up each key of a larger dictionary would take most of the time.
    private static let mostLookedUp = 32
    /// Copies in XML that are longer are not read again: an input would take seconds.
    private static let longestCopy = 4 * 1024 * 1024

    /// - Returns: `nil` for bytes that are no property list and no JSON, for which any error is right.
    public init?(_ bytes: [UInt8]) {
        guard let document = try? PropertyListDocument(bytes: bytes, limits: .ofInputs) else { return nil }
        self.document = document
        size = bytes.count
    }

    /// Looks at every value, then at the copies.
    public func run() {
        checkValues()
        checkBinaryCopy()
        checkXMLCopy()
        checkJSONCopy()
    }

    // MARK: Values

    private func checkValues() {
        var waiting = [document.root]
        var previous: SourcePosition?
        func check(_ position: SourcePosition) {
            switch document.format {
            case .xml, .json:
                require(position.byteOffset == nil, "a position in a text has no byte offset")
                require(position.line ?? 0 >= 1 && position.column ?? 0 >= 1, "lines and columns count from 1")
                require(previous.map { $0 < position } ?? true, "\(position) comes after \(previous as Any)")
                previous = position
            case .binary:
                require(position.line == nil && position.column == nil, "a position in a binary file has no line")
                require((8..<size).contains(position.byteOffset ?? -1), "a byte offset lies in the file")
            }
        }
        while let value = waiting.popLast() {
            check(value.position)
            checkAccessors(of: value)
            let entries = value.entries
            switch document.format {
            case .xml, .json: checkOrder(of: entries)
            case .binary: for entry in entries { check(entry.keyPosition) }
            }
            checkLookups(in: value, entries)
            waiting += (value.elements + entries.map(\.value)).reversed()
        }
    }

    /// A value answers to the accessors of its kind and to no other.
    private func checkAccessors(of value: PropertyListValue) {
        let kind = value.kind
        let isNumber = kind == .integer
        require((value.string != nil) == (kind == .string), "string of \(kind)")
        require(
            (value.integer != nil || value.unsignedInteger != nil) == isNumber, "integer or unsignedInteger of \(kind)")
        if let integer = value.integer {
            require(value.unsignedInteger == UInt64(exactly: integer), "both integers of \(integer)")
        } else if let integer = value.unsignedInteger {
            require(integer > UInt64(Int64.max), "\(integer) would fit")
        }
        require((value.real != nil) == (kind == .real), "real of \(kind)")
        require((value.boolean != nil) == (kind == .boolean), "boolean of \(kind)")
        require((value.date != nil) == (kind == .date), "date of \(kind)")
        require((value.data != nil) == (kind == .data), "data of \(kind)")
        require((value.uid != nil) == (kind == .uid), "uid of \(kind)")
        require(kind != .uid || document.format == .binary, "a text has no UIDs")
        require(value.elements.isEmpty || kind == .array, "elements of \(kind)")
        require(value.entries.isEmpty || kind == .dictionary, "entries of \(kind)")
        require(value.count == value.elements.count + value.entries.count, "count of \(kind)")
    }

    private func checkOrder(of entries: [PropertyListValue.Entry]) {
        var previous: SourcePosition?
        for entry in entries {
            let position = entry.keyPosition
            require(previous.map { $0 < position } ?? true, "the key at \(position) comes after \(previous as Any)")
            require(position < entry.value.position, "the key at \(position) comes before its value")
            previous = entry.value.position
        }
    }

    private func checkLookups(in value: PropertyListValue, _ entries: [PropertyListValue.Entry]) {
        guard entries.count <= Self.mostLookedUp else { return }
        for entry in entries {
            let last = entries.last { $0.key.utf8.elementsEqual(entry.key.utf8) }
            require(value[entry.key]?.position == last?.value.position, "a key finds its last value")
        }
    }

    // MARK: Copies

    /// Binary files can say everything that a document holds.
    private func checkBinaryCopy() {
        let written = mustSucceed("every document can be written in binary") { () throws(PropertyListError) in
            try document.bytes(as: .binary)
        }
        let copy = read(written, as: .binary)
        require(copy.root == document.root, "the copy in binary is equal")
        let again = mustSucceed("a copy can be written") { () throws(PropertyListError) in try copy.bytes(as: .binary) }
        require(again == written, "equal documents give the same bytes")
    }

    /// XML keeps dates to the second, has no UIDs, and lacks characters that a binary file can hold.
    private func checkXMLCopy() {
        let written: [UInt8]
        do {
            written = try document.bytes(as: .xml)
        } catch {
            require(error.code == .notRepresentable, "writing XML fails with \(error.code)")
            require(document.format != .xml, "what was read from XML can be written in XML: \(error)")
            return
        }
        guard written.count <= Self.longestCopy else { return }
        let copy = read(written, as: .xml)
        if document.format == .xml { require(copy.root == document.root, "the copy in XML is equal") }
        let again = mustSucceed("a copy can be written") { () throws(PropertyListError) in try copy.bytes(as: .xml) }
        require(again == written, "a copy of a copy in XML has the same bytes")
    }

    /// JSON keeps the kind of each value, except of texts that look like the dates of a catalog.
    private func checkJSONCopy() {
        let written: [UInt8]
        do {
            written = try document.bytes(as: .json)
        } catch {
            require(error.code == .notRepresentable, "writing JSON fails with \(error.code)")
            require(document.format != .json, "what was read from JSON can be written in JSON: \(error)")
            return
        }
        guard written.count <= Self.longestCopy else { return }
        let copy = read(written, as: .json)
        if document.format == .json { require(copy.root == document.root, "the copy in JSON is equal") }
        let again = mustSucceed("a copy can be written") { () throws(PropertyListError) in try copy.bytes(as: .json) }
        require(again == written, "a copy of a copy in JSON has the same bytes")
    }

    private func read(_ bytes: [UInt8], as format: PropertyListFormat) -> PropertyListDocument {
        // A UID becomes a dictionary in XML, which is one level more.
        let depth = PropertyListLimits().depth + (document.format == .binary && format == .xml ? 1 : 0)
        let copy = mustSucceed("what was written in \(format) can be read") { () throws(PropertyListError) in
            try PropertyListDocument(bytes: bytes, limits: PropertyListLimits(size: 1 << 30, depth: depth))
        }
        require(copy.format == format, "a copy in \(format) is known as one")
        return copy
    }
}
