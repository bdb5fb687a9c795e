internal import VitrineSupport

/// Parses a binary property list (`bplist00`), the format that Apple's CoreFoundation writes and documents in
/// [CFBinaryPList.c](https://github.com/apple-oss-distributions/CF/blob/main/CFBinaryPList.c).
///
/// Every offset, count and size is checked before it is used. An object with several references is added to the
/// document once for each reference; only its characters are shared. The number of values is bounded by the length of
/// the file, so that a file of a few bytes cannot expand to millions of values.
struct BinaryReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: PropertyListLimits
    private let trailer: Trailer
    private var nodes: [Node] = []
    private var characters: [UInt8] = []
    /// Positions of the characters of UTF-16 strings that were converted to UTF-8, by the offset of the string in the
    /// file. Strings are cached only once the converted characters exceed half the size of the file, which happens if a
    /// file repeats references to the same strings, or contains little else than strings.
    private var payloads: [Int: UInt64] = [:]
    /// Containers around the current one, outermost first.
    private var around: [OpenContainer] = []
    /// Innermost container whose references are being followed.
    private var current: OpenContainer?
    /// Number of bytes of the strings, keys and data read so far, counted once for each reference.
    private var totalLength = 0

    private struct Trailer {
        let offsetSize: Int
        let referenceSize: Int
        let objectCount: Int
        let topObject: Int
        let tableOffset: Int
    }

    private struct OpenContainer {
        let node: Int
        /// Offset of the container object in the file.
        let offset: Int
        /// Offset in the file of the container's first reference to a key or value.
        let references: Int
        /// Number of values in an array, or of key-value pairs in a dictionary.
        let count: Int
        let isDictionary: Bool
        /// Number of the container's references that have been followed.
        var done = 0

        var total: Int { isDictionary ? count * 2 : count }

        /// Index of the next reference. The references of the keys precede those of the values.
        var nextReference: Int {
            guard isDictionary else { return done }
            return done & 1 == 0 ? done >> 1 : count + done >> 1
        }
    }

    static func read(_ bytes: [UInt8], limits: PropertyListLimits) throws(PropertyListError) -> DocumentStorage {
        let result = bytes.withUnsafeBufferPointer { buffer in
            Result { () throws(PropertyListError) in
                var reader = try BinaryReader(bytes: buffer, limits: limits)
                try reader.readAll()
                return (nodes: reader.nodes, characters: reader.characters)
            }
        }
        let content = try result.get()
        return DocumentStorage(
            nodes: content.nodes, characters: content.characters, text: SourceText(bytes, isBinary: true))
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, limits: PropertyListLimits) throws(PropertyListError) {
        self.bytes = bytes
        self.limits = limits
        trailer = try Self.trailer(of: bytes)
    }

    // MARK: The file

    private static let headerLength = 8
    private static let trailerLength = 32

    private static func trailer(of bytes: UnsafeBufferPointer<UInt8>) throws(PropertyListError) -> Trailer {
        guard bytes.starts(with: "bplist0".utf8) else {
            throw error(.unsupportedFormat, "the version of the binary property list is not supported", at: 0)
        }
        let start = bytes.count - trailerLength
        guard start > headerLength else { throw malformed("the file is too short for a binary property list", at: 0) }
        func number(_ offset: Int, _ size: Int) -> Int? { unsigned(bytes, at: start + offset, size: size) }
        guard let offsetSize = number(6, 1), let referenceSize = number(7, 1), (1...8).contains(offsetSize),
            (1...8).contains(referenceSize), let objectCount = number(8, 8), let topObject = number(16, 8),
            let tableOffset = number(24, 8), objectCount > 0, topObject < objectCount,
            tableOffset > headerLength, tableOffset <= start, objectCount <= (start - tableOffset) / offsetSize
        else { throw malformed("the last 32 bytes of the file, its trailer, are invalid", at: start) }
        return Trailer(
            offsetSize: offsetSize, referenceSize: referenceSize, objectCount: objectCount, topObject: topObject,
            tableOffset: tableOffset)
    }

    /// Maximum number of values. Only a file with repeated references to the same containers exceeds it.
    private var mostNodes: Int { 4 * bytes.count + 64 }

    // MARK: Values

    private mutating func readAll() throws(PropertyListError) {
        nodes.reserveCapacity(min(bytes.count / 12, limits.nodes))
        try read(object: trailer.topObject, asKey: false)
        while var container = current {
            guard container.done < container.total else {
                nodes[container.node].end = UInt32(nodes.count)
                current = around.popLast()
                continue
            }
            let isKey = container.isDictionary && container.done & 1 == 0
            let place = container.references + container.nextReference * trailer.referenceSize
            container.done += 1
            current = container
            guard let object = Self.unsigned(bytes, at: place, size: trailer.referenceSize),
                object < trailer.objectCount
            else {
                throw Self.malformed(
                    "an array or dictionary refers to an object that the file does not have", at: place)
            }
            try read(object: object, asKey: isKey)
        }
    }

    private mutating func read(object: Int, asKey: Bool) throws(PropertyListError) {
        guard nodes.count < limits.nodes else {
            throw Self.error(
                .limitExceeded, "the file contains more than \(limits.nodes) keys and values", at: trailer.tableOffset)
        }
        guard nodes.count < mostNodes else {
            throw Self.error(
                .limitExceeded,
                "repeated references to arrays and dictionaries expand to more than \(mostNodes) values",
                at: trailer.tableOffset)
        }
        let entry = trailer.tableOffset + object * trailer.offsetSize
        guard let offset = Self.unsigned(bytes, at: entry, size: trailer.offsetSize),
            (Self.headerLength..<trailer.tableOffset).contains(offset)
        else { throw Self.malformed("an entry of the offset table points outside the object table", at: entry) }
        let (marker, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0x0F))
        if asKey {
            guard [0x5, 0x6, 0x7].contains(marker) else {
                throw Self.malformed("a key of a dictionary is not a string", at: offset)
            }
            return try readCharacters(.key, marker: marker, low: low, at: offset)
        }
        switch marker {
        case 0x0: try readSingle(low, at: offset)
        case 0x1: try readInteger(size: 1 << low, at: offset)
        case 0x2: try readReal(size: 1 << low, at: offset)
        case 0x3 where low == 3: try readDate(at: offset)
        case 0x4: try readCharacters(.data, marker: marker, low: low, at: offset)
        case 0x5, 0x6, 0x7: try readCharacters(.string, marker: marker, low: low, at: offset)
        case 0x8: try readUID(size: low + 1, at: offset)
        case 0xA: try openContainer(low: low, isDictionary: false, at: offset)
        case 0xB, 0xC:
            throw Self.error(
                .invalidStructure, "the file contains a set, which is not a property list value", at: offset)
        case 0xD: try openContainer(low: low, isDictionary: true, at: offset)
        default:
            throw Self.malformed(
                "an object begins with 0x\(String(bytes[offset], radix: 16)), which is not a known type", at: offset)
        }
    }

    private mutating func add(_ kind: Node.Kind, at offset: Int, payload: UInt64) {
        nodes.append(
            Node(kind: kind, offset: UInt32(offset), end: UInt32(nodes.count + 1), endOffset: 0, payload: payload))
    }

    private mutating func readSingle(_ low: Int, at offset: Int) throws(PropertyListError) {
        switch low {
        case 0x8: add(.boolean, at: offset, payload: 0)
        case 0x9: add(.boolean, at: offset, payload: 1)
        case 0x0:
            throw Self.error(
                .invalidStructure, "the file contains null, which is not a property list value", at: offset)
        default:
            throw Self.malformed(
                "an object begins with 0x0\(String(low, radix: 16)), which is not a known type", at: offset)
        }
    }

    /// Reads an integer of the given size in bytes. Integers of 1, 2 and 4 bytes are unsigned, integers of 8 bytes are
    /// signed. A size of 16 bytes is used for values that do not fit in a signed integer of 8 bytes.
    private mutating func readInteger(size: Int, at offset: Int) throws(PropertyListError) {
        guard size <= 16 else { throw Self.malformed("invalid integer size: \(size) bytes", at: offset) }
        guard offset + 1 + size <= trailer.tableOffset else { throw Self.cutOff(at: offset) }
        let low = Self.bits(bytes, at: offset + 1 + max(0, size - 8), size: min(size, 8))
        guard size == 16 else { return add(.integer, at: offset, payload: low) }
        switch Self.bits(bytes, at: offset + 1, size: 8) {
        case 0 where low > UInt64(Int64.max): add(.unsignedInteger, at: offset, payload: low)
        case 0: add(.integer, at: offset, payload: low)
        case .max where low > UInt64(Int64.max): add(.integer, at: offset, payload: low)
        default:
            throw Self.error(.invalidValue, "an integer does not fit in 64 bits", at: offset)
        }
    }

    private mutating func readReal(size: Int, at offset: Int) throws(PropertyListError) {
        guard size == 4 || size == 8 else {
            throw Self.malformed("invalid size of a real number: \(size) bytes", at: offset)
        }
        add(.real, at: offset, payload: try double(size: size, at: offset).bitPattern)
    }

    private func double(size: Int, at offset: Int) throws(PropertyListError) -> Double {
        guard offset + 1 + size <= trailer.tableOffset else { throw Self.cutOff(at: offset) }
        let bits = Self.bits(bytes, at: offset + 1, size: size)
        return size == 4 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits)
    }

    private mutating func readDate(at offset: Int) throws(PropertyListError) {
        let seconds = try double(size: 8, at: offset)
        guard ScalarText.years0To9999.contains(seconds) else {
            throw Self.error(.invalidValue, "a date is outside the years 0 to 9999", at: offset)
        }
        add(.date, at: offset, payload: seconds.bitPattern)
    }

    private mutating func readUID(size: Int, at offset: Int) throws(PropertyListError) {
        guard size <= 8 else { throw Self.malformed("a UID has \(size) bytes instead of 1 to 8", at: offset) }
        guard offset + 1 + size <= trailer.tableOffset else { throw Self.cutOff(at: offset) }
        add(.uid, at: offset, payload: Self.bits(bytes, at: offset + 1, size: size))
    }

    private mutating func readCharacters(
        _ kind: Node.Kind, marker: UInt8, low: Int, at offset: Int
    ) throws(PropertyListError) {
        let (count, start) = try count(low: low, at: offset)
        let length = marker == 0x6 ? count.multipliedReportingOverflow(by: 2).partialValue : count
        guard count <= bytes.count, start + length <= trailer.tableOffset else { throw Self.cutOff(at: offset) }
        // Two bytes of UTF-16 become at most three bytes of UTF-8.
        guard totalLength + (marker == 0x6 ? count * 3 : count) <= mostCharacters else {
            throw Self.error(
                .limitExceeded,
                "repeated references to strings and data expand to more than \(mostCharacters) bytes", at: offset)
        }
        let content = start..<(start + length)
        let payload: UInt64
        if marker == 0x4 || marker == 0x5 || characters.count < bytes.count / 2 {
            payload = try self.payload(marker: marker, content, at: offset)
        } else if let known = payloads[offset] {
            payload = known
        } else {
            payload = try self.payload(marker: marker, content, at: offset)
            payloads[offset] = payload
        }
        let node = Node(
            kind: kind, offset: UInt32(offset), end: UInt32(nodes.count + 1), endOffset: 0, payload: payload)
        if let reason = limits.excess(of: kind, node.count) {
            throw Self.error(.limitExceeded, reason, at: offset)
        }
        totalLength += node.count
        nodes.append(node)
    }

    /// Maximum number of bytes of strings, keys and data, counted once for each reference: four times the maximum file
    /// size.
    private var mostCharacters: Int { min(4 * limits.size, Int(Int32.max)) }

    /// Returns the position of an object's characters: a position in the file, or in `characters` for UTF-16, which is
    /// converted to UTF-8.
    private mutating func payload(
        marker: UInt8, _ content: Range<Int>, at offset: Int
    ) throws(PropertyListError) -> UInt64 {
        switch marker {
        case 0x4: break
        case 0x5:
            guard isASCII(content) else {
                throw Self.malformed("a string marked as ASCII contains bytes that are not ASCII", at: offset)
            }
        case 0x6:
            let first = characters.count
            guard UTF16Text.append(UnsafeBufferPointer(rebasing: bytes[content]), to: &characters) else {
                throw Self.malformed("a string marked as UTF-16 is not valid UTF-16", at: offset)
            }
            return Node.payload(start: first, count: characters.count - first)
        default:
            guard String(validUTF8: bytes[content]) != nil else {
                throw Self.malformed("a string marked as UTF-8 is not valid UTF-8", at: offset)
            }
        }
        return Node.payload(inText: content)
    }

    private mutating func openContainer(low: Int, isDictionary: Bool, at offset: Int) throws(PropertyListError) {
        let (count, start) = try count(low: low, at: offset)
        let room = (trailer.tableOffset - start) / trailer.referenceSize
        guard count <= (isDictionary ? room / 2 : room) else { throw Self.cutOff(at: offset) }
        guard current?.offset != offset, !around.contains(where: { $0.offset == offset }) else {
            throw Self.error(.invalidStructure, "an array or dictionary contains itself", at: offset)
        }
        guard around.count + (current == nil ? 0 : 1) < limits.depth else {
            throw Self.error(
                .limitExceeded, "arrays and dictionaries are nested more than \(limits.depth) levels deep", at: offset)
        }
        if let current { around.append(current) }
        current = OpenContainer(
            node: nodes.count, offset: offset, references: start, count: count, isDictionary: isDictionary)
        add(isDictionary ? .dictionary : .array, at: offset, payload: UInt64(isDictionary ? count * 2 : count))
    }

    /// Returns the count of an object's content and the offset of that content. A count above 14 is stored as an
    /// integer after the object's first byte.
    private func count(low: Int, at offset: Int) throws(PropertyListError) -> (count: Int, start: Int) {
        guard low == 0xF else { return (low, offset + 1) }
        guard offset + 1 < trailer.tableOffset, bytes[offset + 1] >> 4 == 0x1 else {
            throw Self.malformed("the length of an object is not stored as an integer", at: offset)
        }
        let size = 1 << Int(bytes[offset + 1] & 0x0F)
        guard size <= 8, offset + 2 + size <= trailer.tableOffset,
            let count = Self.unsigned(bytes, at: offset + 2, size: size)
        else { throw Self.malformed("the length of an object is not stored as an integer", at: offset) }
        return (count, offset + 2 + size)
    }

    // MARK: Bytes

    private func isASCII(_ range: Range<Int>) -> Bool {
        UnsafeBufferPointer(rebasing: bytes[range]).reduce(0, |) < 0x80
    }

    /// Returns a big-endian number from the bytes of the file.
    ///
    /// - Returns: `nil` if the number does not fit in an `Int`, or the range is outside `bytes`.
    private static func unsigned(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int, size: Int) -> Int? {
        guard offset >= 0, offset + size <= bytes.count else { return nil }
        return Int(exactly: bits(bytes, at: offset, size: size))
    }

    /// Returns a big-endian number of at most 8 bytes. The range must be inside `bytes`.
    private static func bits(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int, size: Int) -> UInt64 {
        if offset + 8 <= bytes.count, let start = bytes.baseAddress, size > 0 {
            let word = UnsafeRawPointer(start + offset).loadUnaligned(as: UInt64.self)
            return UInt64(bigEndian: word) >> UInt64(64 - 8 * size)
        }
        var value: UInt64 = 0
        for index in offset..<(offset + size) { value = value << 8 | UInt64(bytes[index]) }
        return value
    }

    private static func cutOff(at offset: Int) -> PropertyListError {
        malformed("an object extends past the end of the object table", at: offset)
    }

    private static func malformed(_ reason: String, at offset: Int) -> PropertyListError {
        error(.malformedBinary, reason, at: offset)
    }

    private static func error(_ code: PropertyListErrorCode, _ reason: String, at offset: Int) -> PropertyListError {
        PropertyListError(code: code, reason: reason, position: SourcePosition(byteOffset: offset))
    }
}
