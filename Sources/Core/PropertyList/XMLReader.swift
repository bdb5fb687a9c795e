internal import CVitrineXML2
internal import VitrineSupport

/// Parses an XML property list with libxml2's SAX2 interface.
///
/// The libxml2 callbacks receive this value as a pointer. Positions are exact in a callback, because libxml2 counts
/// bytes of its input, which is always UTF-8 and never converted.
struct XMLReader {
    private let context: xmlParserCtxtPtr
    private let names: ElementNames
    private var builder: DocumentBuilder
    private var failure: PropertyListError?
    private let text: SourceText
    /// Number of namespaces that were declared so far.
    private var namespaceCount = 0

    /// Maximum number of declared namespaces; a property list needs none. libxml2 looks through all of them at each
    /// element, and would take seconds for a file with thousands.
    private static let mostNamespaces = 16

    static func read(_ text: SourceText, limits: PropertyListLimits) throws(PropertyListError) -> DocumentStorage {
        _ = libraryIsInitialized
        let created = text.bytes.withUnsafeBytes { bytes in
            xmlCreateMemoryParserCtxt(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        guard let context = created else {
            throw PropertyListError(code: .limitExceeded, reason: "there is not enough memory to parse the file")
        }
        defer { xmlFreeParserCtxt(context) }
        // Entities are not substituted, and neither a DTD nor the network is read. The declared encoding has already
        // been checked.
        xmlCtxtUseOptions(context, Int32(XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue))
        context.pointee.sax.pointee = makeHandlers()
        var reader = XMLReader(context: context, text: text, limits: limits)
        withUnsafeMutablePointer(to: &reader) { pointer in
            context.pointee.userData = UnsafeMutableRawPointer(pointer)
            xmlParseDocument(context)
        }
        return try reader.finish()
    }

    private init(context: xmlParserCtxtPtr, text: SourceText, limits: PropertyListLimits) {
        self.context = context
        self.text = text
        builder = DocumentBuilder(limits: limits)
        names = ElementNames(dictionary: context.pointee.dict)
    }

    private consuming func finish() throws(PropertyListError) -> DocumentStorage {
        if let failure { throw failure }
        guard context.pointee.wellFormed == 1 else {
            throw PropertyListError(code: .malformedXML, reason: "the XML is not well formed")
        }
        return try builder.finish(text: text)
    }

    private static let libraryIsInitialized: Void = xmlInitParser()
}

// MARK: - libxml2 callbacks

extension XMLReader {
    private static func makeHandlers() -> xmlSAXHandler {
        var handlers = xmlSAXHandler()
        handlers.initialized = UInt32(XML_SAX2_MAGIC)
        handlers.startElementNs = { reader, name, prefix, _, namespaceCount, _, _, _, _ in
            XMLReader.with(reader) {
                $0.startElement(name, hasPrefix: prefix != nil, namespaceCount: Int(namespaceCount))
            }
        }
        handlers.endElementNs = { reader, _, _, _ in XMLReader.with(reader) { $0.endElement() } }
        handlers.characters = { reader, bytes, count in
            XMLReader.with(reader) { $0.appendCharacters(UnsafeBufferPointer(start: bytes, count: Int(count))) }
        }
        handlers.ignorableWhitespace = handlers.characters
        handlers.cdataBlock = handlers.characters
        handlers.internalSubset = { reader, _, _, _ in XMLReader.with(reader) { $0.checkDocumentType() } }
        handlers.serror = { reader, error in
            guard let error, error.pointee.level.rawValue >= XML_ERR_ERROR.rawValue else { return }
            XMLReader.with(reader) {
                // libxml2 finds the end of the file, or the next comment. What is wrong is where the comment begins.
                if error.pointee.isUnfinished, let start = TagScan.unfinished(in: $0.text.bytes) {
                    $0.fail(.malformedXML, error.pointee.reason, at: start)
                } else if error.pointee.isHyphenInComment,
                    let start = TagScan.comment(around: $0.offset, in: $0.text.bytes)
                {
                    $0.fail(.malformedXML, xmlError.unfinishedComment, at: start)
                } else {
                    $0.fail(.malformedXML, error.pointee.reason, at: $0.offset)
                }
            }
        }
        return handlers
    }

    /// Calls `handle` with the reader in libxml2's user data, unless parsing has already failed.
    private static func with(_ pointer: UnsafeMutableRawPointer?, handle: (inout XMLReader) -> Void) {
        guard let reader = pointer?.assumingMemoryBound(to: XMLReader.self), reader.pointee.failure == nil else {
            return
        }
        handle(&reader.pointee)
    }

    private mutating func startElement(_ name: UnsafePointer<xmlChar>?, hasPrefix: Bool, namespaceCount: Int) {
        let offset = elementOffset
        self.namespaceCount += namespaceCount
        guard self.namespaceCount <= Self.mostNamespaces else {
            return fail(.limitExceeded, "the file declares more than \(Self.mostNamespaces) namespaces", at: offset)
        }
        guard !hasPrefix, let element = names.element(for: name) else {
            let shown = name.map { String(cString: $0) } ?? ""
            return fail(.invalidStructure, "<\(shown)> is not a property list element", at: offset)
        }
        check(at: offset) { builder throws(DocumentBuilder.Failure) in try builder.start(element, at: offset) }
    }

    private mutating func endElement() {
        check(at: builder.currentOffset) { [offset] builder throws(DocumentBuilder.Failure) in
            try builder.end(at: offset)
        }
    }

    private mutating func appendCharacters(_ bytes: UnsafeBufferPointer<xmlChar>) {
        let start = offset(of: bytes)
        check(at: start) { builder throws(DocumentBuilder.Failure) in try builder.append(bytes, at: start) }
    }

    private mutating func checkDocumentType() {
        guard context.pointee.input.pointee.cur.pointee == UInt8(ascii: "[") else { return }
        fail(.declaration, "the document type declaration has an internal subset, which is not supported", at: offset)
    }
}

// MARK: - Positions and failures

extension XMLReader {
    private var offset: Int {
        guard let input = context.pointee.input else { return 0 }
        return Int(input.pointee.consumed) + (input.pointee.cur - input.pointee.base)
    }

    /// Returns the file offset of characters that libxml2 passes to a callback. They are either a part of its
    /// unconsumed input, or a copy of the text that was just consumed.
    private func offset(of characters: UnsafeBufferPointer<xmlChar>) -> Int {
        guard let input = context.pointee.input, let start = characters.baseAddress,
            let base = input.pointee.base, let end = input.pointee.end
        else { return 0 }
        guard start >= base, start <= end else { return max(0, offset - characters.count) }
        return Int(input.pointee.consumed) + (start - base)
    }

    /// Offset of the element whose start tag was just read. A tag cannot contain an unescaped `<`.
    private var elementOffset: Int {
        var start = min(offset, text.bytes.count - 1)
        while start > 0, text.bytes[start] != UInt8(ascii: "<") { start -= 1 }
        return start
    }

    private mutating func check(
        at offset: Int,
        _ step: (inout DocumentBuilder) throws(DocumentBuilder.Failure) -> Void
    ) {
        do {
            try step(&builder)
        } catch {
            fail(error.code, error.reason, at: error.offset ?? offset)
        }
    }

    private mutating func fail(_ code: PropertyListError.Code, _ reason: String, at offset: Int) {
        failure = PropertyListError(code: code, reason: reason, position: text.position(at: offset))
        xmlStopParser(context)
    }
}

/// Element names of the document type, as pointers into libxml2's dictionary. Because libxml2 stores each name once, an
/// element of a parsed file is identified by comparing pointers.
private struct ElementNames {
    private let pointers: [(pointer: UnsafePointer<xmlChar>, element: DocumentBuilder.Element)]

    init(dictionary: xmlDictPtr?) {
        pointers = DocumentBuilder.Element.allCases.compactMap { element in
            xmlDictLookup(dictionary, element.rawValue, -1).map { ($0, element) }
        }
    }

    func element(for name: UnsafePointer<xmlChar>?) -> DocumentBuilder.Element? {
        pointers.first { $0.pointer == name }?.element
    }
}

/// Escaping of text for XML.
package enum XMLText {
    /// Returns a code point escaped for XML 1.0: the code point itself, or a reference if it has a special meaning.
    ///
    /// Text is escaped by code points rather than by characters: a `<` with a combining accent is a different character
    /// in Swift, but still begins a tag in XML.
    ///
    /// - Returns: `nil` for a code point that XML cannot represent.
    package static func spelling(of scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        // XML parsers convert an unescaped carriage return to a line feed.
        case "\r": "&#13;"
        case "\t", "\n", " "..."\u{FFFD}", "\u{10000}"...: String(scalar)
        default: nil
        }
    }
}
