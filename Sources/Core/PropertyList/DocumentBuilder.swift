internal import VitrineSupport

/// Builds the storage of a document from the elements of a property list, received in document order.
///
/// ``JSONReader`` builds a document of the same elements.
struct DocumentBuilder {
    /// The elements of Apple's PropertyList-1.0 document type.
    enum Element: String, CaseIterable {
        case plist, array, dict, key, string, integer, real, `true`, `false`, date, data
    }

    struct Failure: Error {
        let code: PropertyListError.Code
        let reason: String
        /// Offset of the error in the file; `nil` if the error is at the current element.
        var offset: Int?

        static func structure(_ reason: String, at offset: Int? = nil) -> Failure {
            Failure(code: .invalidStructure, reason: reason, offset: offset)
        }
    }

    /// A container whose end tag has not been read yet, or the `<plist>` element around the root value.
    private struct OpenContainer {
        let element: Element
        let node: Int
        let offset: Int
        /// Number of keys and values directly in the surrounding element so far, including this container.
        let contentCountAround: Int
    }

    /// An element for a single value whose end tag has not been read yet.
    private struct OpenLeaf {
        let element: Element
        let offset: Int
    }

    private let limits: PropertyListLimits
    private let shortestLimit: Int
    private var nodes: [Node] = []
    private var characters: [UInt8] = []
    private var open: [OpenContainer] = []
    private var leaf: OpenLeaf?
    private var textStart = 0
    /// Innermost open element that may contain other elements.
    private(set) var openContainer: Element?
    /// Offset of the last key of the innermost dictionary while the value of the key has not been read yet. The keys of
    /// surrounding dictionaries are not stored, because their values are already being read.
    private var keyOffset: Int?
    /// Number of keys and values directly in the innermost open element.
    private var contentCount = 0

    init(limits: PropertyListLimits) {
        self.limits = limits
        shortestLimit = min(limits.keyLength, limits.stringLength)
    }

    /// Offset of the innermost open element; 0 if no element is open.
    var currentOffset: Int { leaf?.offset ?? open.last?.offset ?? 0 }

    /// `true` if the innermost open element contains no key and no value so far.
    var isContainerEmpty: Bool { contentCount == 0 }

    /// Reserves memory for the estimated number of nodes in a file of `count` bytes: one node per 20 bytes.
    mutating func reserveCapacity(forBytes count: Int) { nodes.reserveCapacity(min(count / 20, limits.nodes)) }

    mutating func start(_ element: Element, at offset: Int) throws(Failure) {
        try checkPlace(of: element, at: offset)
        switch element {
        case .plist: open(element, node: 0, at: offset)
        case .array, .dict:
            guard open.count <= limits.depth else {
                throw Failure(
                    code: .limitExceeded,
                    reason: "arrays and dictionaries are nested more than \(limits.depth) levels deep")
            }
            try add(element == .array ? .array : .dictionary, at: offset..<offset, payload: 0)
            open(element, node: nodes.count - 1, at: offset)
        default:
            leaf = OpenLeaf(element: element, offset: offset)
            textStart = characters.count
        }
    }

    /// Adds characters to the text of the open element. Between elements, only white space is accepted.
    ///
    /// - Parameter offset: Offset of the first character in the text.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) throws(Failure) {
        if leaf?.element.holdsText == true {
            characters.append(contentsOf: bytes)
        } else if let stray = bytes.firstIndex(where: { !$0.isXMLSpace }) {
            let shown = String(decoding: bytes[stray...].prefix(4), as: UTF8.self).prefix(1)
            throw .structure("unexpected text between elements, beginning with \"\(shown)\"", at: offset + stray)
        }
    }

    /// Ends the innermost open element.
    ///
    /// - Parameter endOffset: Offset of the first byte after the element.
    mutating func end(at endOffset: Int) throws(Failure) {
        if let ending = leaf {
            leaf = nil
            try addLeaf(ending.element, at: ending.offset..<endOffset, text: textStart..<characters.count)
        } else if let closing = open.popLast() {
            openContainer = open.last?.element
            guard closing.element != .plist else {
                guard !nodes.isEmpty else { throw .structure("<plist> contains no value", at: closing.offset) }
                return
            }
            if let keyOffset { throw .structure("a key of a dictionary has no value", at: keyOffset) }
            nodes[closing.node].end = UInt32(nodes.count)
            nodes[closing.node].endOffset = UInt32(endOffset)
            nodes[closing.node].payload = UInt64(contentCount)
            contentCount = closing.contentCountAround
        }
    }

    /// Adds an element whose text in the file is its unchanged value, because the text has no character references.
    mutating func addLeaf(
        _ element: Element, at range: Range<Int>, text: Range<Int>, of source: UnsafeBufferPointer<UInt8>
    ) throws(Failure) {
        try checkPlace(of: element, at: range.lowerBound)
        if let kind = element.characterKind {
            try checkLength(of: kind, text.count)
            try add(kind, at: range, payload: Node.payload(inText: text))
        } else {
            try addConverted(element, at: range, source[text])
        }
    }

    consuming func finish(text: SourceText) throws(PropertyListError) -> DocumentStorage {
        guard !nodes.isEmpty else {
            throw PropertyListError(code: .invalidStructure, reason: "the file contains no value")
        }
        return DocumentStorage(nodes: nodes, characters: characters, text: text)
    }
}

extension DocumentBuilder {
    private mutating func open(_ element: Element, node: Int, at offset: Int) {
        open.append(OpenContainer(element: element, node: node, offset: offset, contentCountAround: contentCount))
        openContainer = element
        contentCount = 0
    }

    private mutating func checkPlace(of element: Element, at offset: Int) throws(Failure) {
        if let leaf {
            throw .structure("<\(element.rawValue)> is not allowed inside <\(leaf.element.rawValue)>")
        }
        guard let parent = openContainer else {
            guard element == .plist else {
                throw .structure("the outermost element is <\(element.rawValue)> instead of <plist>")
            }
            return
        }
        if parent == .dict {
            let awaitsKey = keyOffset == nil
            guard element != .plist, awaitsKey == (element == .key) else {
                throw .structure(
                    awaitsKey ? "expected a <key>, but found a value" : "a key of a dictionary has no value",
                    at: keyOffset)
            }
            keyOffset = awaitsKey ? offset : nil
            return
        }
        if parent == .plist, !nodes.isEmpty { throw .structure("<plist> contains a second value") }
        guard element != .key, element != .plist else {
            throw .structure("<\(element.rawValue)> is not allowed inside <\(parent.rawValue)>")
        }
    }

    private mutating func add(_ kind: Node.Kind, at range: Range<Int>, payload: UInt64) throws(Failure) {
        let number = nodes.count
        guard number < limits.nodes else {
            throw Failure(code: .limitExceeded, reason: "the file contains more than \(limits.nodes) keys and values")
        }
        contentCount += 1
        nodes.append(
            Node(
                kind: kind, offset: UInt32(range.lowerBound), end: UInt32(number + 1),
                endOffset: UInt32(range.upperBound), payload: payload))
    }

    private func checkLength(of kind: Node.Kind, _ count: Int) throws(Failure) {
        guard count > shortestLimit else { return }
        if let reason = limits.excess(of: kind, count) { throw Failure(code: .limitExceeded, reason: reason) }
    }

    /// Adds an element with character references. Its decoded text has been collected in `characters`.
    private mutating func addLeaf(_ element: Element, at range: Range<Int>, text: Range<Int>) throws(Failure) {
        if let kind = element.characterKind {
            try checkLength(of: kind, text.count)
            return try add(kind, at: range, payload: Node.payload(start: text.lowerBound, count: text.count))
        }
        let copy = Array(characters[text])
        characters.removeLast(text.count)
        let result = copy.withUnsafeBufferPointer { text -> Result<Void, Failure> in
            Result { () throws(Failure) in try addConverted(element, at: range, text[...]) }
        }
        try result.get()
    }

    /// Converts the text of a number, date or data element, and adds the element's value.
    private mutating func addConverted(
        _ element: Element, at range: Range<Int>, _ text: ScalarText.Text
    ) throws(Failure) {
        switch element {
        case .true: try add(.boolean, at: range, payload: 1)
        case .false: try add(.boolean, at: range, payload: 0)
        case .integer:
            guard let number = ScalarText.integer(text) else { throw invalid(text, "a 64-bit integer") }
            try add(number.isUnsigned ? .unsignedInteger : .integer, at: range, payload: number.bits)
        case .real:
            guard let number = ScalarText.real(text) else { throw invalid(text, "a number") }
            try add(.real, at: range, payload: number.bitPattern)
        case .date:
            guard let seconds = ScalarText.secondsSince2001(text) else {
                throw invalid(text, "a date like 2026-01-31T12:00:00Z")
            }
            try add(.date, at: range, payload: seconds.bitPattern)
        default:
            guard let bytes = ScalarText.base64(text) else { throw invalid(text, "base64") }
            try checkLength(of: .data, bytes.count)
            let start = characters.count
            characters += bytes
            try add(.data, at: range, payload: Node.payload(start: start, count: bytes.count))
        }
    }

    private func invalid(_ text: ScalarText.Text, _ expected: String) -> Failure {
        let shown = String(decoding: text.prefix(40), as: UTF8.self)
        return Failure(code: .invalidValue, reason: "\"\(shown)\" is not \(expected)", offset: nil)
    }
}

extension DocumentBuilder.Element {
    /// Node type of a `<key>` or `<string>` element, whose value is its text; `nil` for other elements.
    fileprivate var characterKind: Node.Kind? {
        switch self {
        case .key: .key
        case .string: .string
        default: nil
        }
    }

    fileprivate var holdsText: Bool {
        switch self {
        case .key, .string, .integer, .real, .date, .data: true
        case .plist, .array, .dict, .true, .false: false
        }
    }
}

extension UInt8 {
    /// `true` if the byte is XML white space (XML 1.0, production 3).
    var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
