/// Builds the flat document from the elements of a property list, in the order in which they come.
struct DocumentBuilder {
    /// The elements of Apple's PropertyList-1.0 document type.
    enum Element: String, CaseIterable {
        case plist, array, dict, key, string, integer, real, `true`, `false`, date, data
    }

    struct Problem: Error {
        let code: PropertyListError.Code
        let reason: String
        /// Where, if not at the element that is being read.
        var offset: Int?

        static func structure(_ reason: String, at offset: Int? = nil) -> Problem {
            Problem(code: .invalidStructure, reason: reason, offset: offset)
        }
    }

    /// An element whose end has not come yet.
    private struct OpenElement {
        let element: Element
        let node: Int
        let offset: Int
        /// Where the last key of a dictionary begins, while its value is awaited.
        var keyOffset: Int?
    }

    private var nodes: [Node] = []
    private var characters: [UInt8] = []
    private var open: [OpenElement] = []
    private var textStart = 0

    /// Where the innermost open element begins.
    var currentOffset: Int { open.last?.offset ?? 0 }

    mutating func start(_ element: Element, at offset: Int, depthLimit: Int) throws(Problem) {
        try checkPlace(of: element, at: offset)
        if element == .plist {
            open.append(OpenElement(element: element, node: 0, offset: offset))
            return
        }
        guard open.count <= depthLimit else {
            throw Problem(code: .limitExceeded, reason: "more than \(depthLimit) values are inside each other")
        }
        open.append(OpenElement(element: element, node: nodes.count, offset: offset))
        nodes.append(Node(kind: element.nodeKind, offset: UInt32(offset), end: 0, payload: 0))
        textStart = characters.count
    }

    /// - Parameter offset: Where the characters begin in the text.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, at offset: Int) throws(Problem) {
        if open.last?.element.holdsText == true {
            characters.append(contentsOf: bytes)
        } else if let stray = bytes.firstIndex(where: { !$0.isXMLSpace }) {
            let shown = String(decoding: bytes[stray...].prefix(4), as: UTF8.self).prefix(1)
            throw .structure("text stands between the elements, beginning with \"\(shown)\"", at: offset + stray)
        }
    }

    mutating func end() throws(Problem) {
        guard let closing = open.popLast() else { return }
        switch closing.element {
        case .plist:
            guard !nodes.isEmpty else { throw .structure("<plist> contains no value", at: closing.offset) }
            return
        case .dict:
            if let keyOffset = closing.keyOffset { throw .structure("the key has no value", at: keyOffset) }
        case .array: break
        case .key, .string:
            nodes[closing.node].payload = Node.payload(start: textStart, count: characters.count - textStart)
        case .true: nodes[closing.node].payload = 1
        case .false: nodes[closing.node].payload = 0
        case .integer, .real, .date, .data: try convertText(of: closing)
        }
        nodes[closing.node].end = UInt32(nodes.count)
    }

    consuming func finish(text: SourceText) throws(PropertyListError) -> DocumentStorage {
        guard !nodes.isEmpty else {
            throw PropertyListError(code: .invalidStructure, reason: "the file contains no value")
        }
        return DocumentStorage(nodes: nodes, characters: characters, text: text)
    }
}

extension DocumentBuilder {
    private mutating func checkPlace(of element: Element, at offset: Int) throws(Problem) {
        guard let parent = open.last else {
            guard element == .plist else {
                throw .structure("the outermost element is <\(element.rawValue)> instead of <plist>")
            }
            return
        }
        switch parent.element {
        case .plist:
            guard nodes.isEmpty else { throw .structure("<plist> contains a second value") }
            fallthrough
        case .array:
            guard element != .key, element != .plist else {
                throw .structure("<\(element.rawValue)> cannot stand in <\(parent.element.rawValue)>")
            }
        case .dict:
            let awaitsKey = parent.keyOffset == nil
            guard element != .plist, awaitsKey == (element == .key) else {
                throw .structure(
                    awaitsKey ? "a value stands where a <key> is due" : "the key has no value",
                    at: parent.keyOffset)
            }
            open[open.count - 1].keyOffset = awaitsKey ? offset : nil
        default:
            throw .structure("<\(element.rawValue)> cannot stand in <\(parent.element.rawValue)>")
        }
    }

    /// Replaces the characters of the element that ends by the value that they spell.
    private mutating func convertText(of closing: OpenElement) throws(Problem) {
        switch closing.element {
        case .integer:
            guard let number = readText(ScalarText.integer) else { throw invalid("a whole number of 64 bits") }
            nodes[closing.node].kind = number.isUnsigned ? .unsignedInteger : .integer
            nodes[closing.node].payload = number.bits
        case .real:
            guard let number = readText(ScalarText.real) else { throw invalid("a number") }
            nodes[closing.node].payload = number.bitPattern
        case .date:
            guard let seconds = readText(ScalarText.secondsSince2001) else {
                throw invalid("a date like 2026-01-31T12:00:00Z")
            }
            nodes[closing.node].payload = seconds.bitPattern
        default:
            guard let bytes = readText(ScalarText.base64) else { throw invalid("base64") }
            characters.removeLast(characters.count - textStart)
            characters += bytes
            nodes[closing.node].payload = Node.payload(start: textStart, count: bytes.count)
            return
        }
        characters.removeLast(characters.count - textStart)
    }

    private func readText<Value>(_ read: (ScalarText.Text) -> Value?) -> Value? {
        characters.withUnsafeBufferPointer { read($0[textStart...]) }
    }

    private func invalid(_ expected: String) -> Problem {
        let shown = String(decoding: characters[textStart...].prefix(40), as: UTF8.self)
        return Problem(code: .invalidValue, reason: "\"\(shown)\" is not \(expected)", offset: nil)
    }
}

extension DocumentBuilder.Element {
    fileprivate var nodeKind: Node.Kind {
        switch self {
        case .array: .array
        case .plist, .dict: .dictionary
        case .key: .key
        case .string: .string
        case .integer: .integer
        case .real: .real
        case .true, .false: .boolean
        case .date: .date
        case .data: .data
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
    /// White space as XML defines it (XML 1.0, production 3).
    var isXMLSpace: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
