internal import VitrinePropertyList

/// Text of an XML property list whose root is an array. Its elements are changed one at a time, and the text of all
/// others remains as it is.
struct PropertyListArrayText {
    private(set) var bytes: [UInt8]
    private let limits: PropertyListLimits

    /// Creates the text.
    ///
    /// - Returns: `nil` if the bytes are not an XML property list in UTF-8 with an array.
    init?(_ bytes: [UInt8], limits: PropertyListLimits) {
        (self.bytes, self.limits) = (bytes, limits)
        guard let document = try? PropertyListDocument(bytes: bytes, limits: limits), document.format == .xml,
            document.source == bytes, document.root.kind == .array, document.root.sourceRange != nil
        else { return nil }
    }

    mutating func replace(_ index: Int, by content: PropertyListContent) throws(PropertyListError) {
        let element = try document.root.elements[index]
        guard let range = element.sourceRange else { return }
        bytes.replaceSubrange(range, with: try Self.text(of: content, indentation: indentation(of: element)))
    }

    /// Removes an element, with the white space before it.
    mutating func remove(_ index: Int) throws(PropertyListError) {
        guard let range = try document.root.elements[index].sourceRangeWithIndentation else { return }
        bytes.removeSubrange(range)
    }

    /// Appends an element, indented as the last one.
    mutating func append(_ content: PropertyListContent) throws(PropertyListError) {
        let root = try document.root
        guard let last = root.elements.last, let range = last.sourceRange else {
            guard let range = root.sourceRange else { return }
            let element = Array("\n\t".utf8) + (try Self.text(of: content, indentation: Self.tab))
            // An array without elements may have comments, which stay before the first element.
            let inside = bytes[range]
            if let end = inside.lastIndex(of: UInt8(ascii: "<")), inside[end...].starts(with: "</".utf8) {
                let text = inside[..<end].lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? end
                bytes.replaceSubrange(text..<end, with: element + Array("\n".utf8))
            } else {
                bytes.replaceSubrange(range, with: Array("<array>".utf8) + element + Array("\n</array>".utf8))
            }
            return
        }
        let indentation = indentation(of: last)
        let element = try Self.text(of: content, indentation: indentation)
        bytes.insert(contentsOf: [UInt8(ascii: "\n")] + indentation + element, at: range.upperBound)
    }

    private var document: PropertyListDocument {
        get throws(PropertyListError) { try PropertyListDocument(bytes: bytes, limits: limits) }
    }

    /// Returns the white space before an element on its line.
    private func indentation(of element: PropertyListValue) -> [UInt8] {
        guard let start = element.sourceRange?.lowerBound, let before = element.sourceRangeWithIndentation?.lowerBound,
            let lineBreak = bytes[before..<start].lastIndex(of: UInt8(ascii: "\n"))
        else { return Self.tab }
        return Array(bytes[(lineBreak + 1)..<start])
    }

    private static let tab = [UInt8(ascii: "\t")]

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

    /// Returns the element of a content, without white space before its start tag.
    ///
    /// - Parameter indentation: White space before the start tag. It is also the indentation of each further level.
    private static func text(
        of content: PropertyListContent, indentation: [UInt8]
    ) throws(PropertyListError) -> [UInt8] {
        let document = try PropertyListDocument(bytes: try content.bytes())
        guard let range = document.root.sourceRange else { return [] }
        let lines = document.source[range].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        var text: [UInt8] = []
        for (number, line) in lines.enumerated() {
            let depth = line.prefix { $0 == UInt8(ascii: "\t") }.count
            // Another line is the rest of a string.
            let rest = line.dropFirst(depth)
            let isElement =
                rest.first == UInt8(ascii: "<") && !rest.starts(with: "</string>".utf8)
                && !rest.starts(with: "</key>".utf8)
            if number > 0 { text.append(UInt8(ascii: "\n")) }
            guard isElement, number > 0 else {
                text += line
                continue
            }
            for _ in 0...depth { text += indentation }
            text += rest
        }
        return text
    }
}
