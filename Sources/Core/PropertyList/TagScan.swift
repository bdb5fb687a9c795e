/// Check that rejects tags of more than 1,024 bytes before libxml2 parses them. libxml2 compares each attribute of a
/// tag with every other one, and would take minutes for a tag of a megabyte.
enum TagScan {
    private static let longestTag = 1_024

    static func checkLengths(_ bytes: [UInt8]) throws(PropertyListError) { _ = try scan(bytes) }

    /// Returns the index of the comment, CDATA section or instruction that does not end; `nil` if there is none.
    static func unfinished(in bytes: [UInt8]) -> Int? { try? scan(bytes) }

    /// Returns the index of the comment inside which another one begins at an offset, so that the first one probably lacks
    /// its end.
    ///
    /// - Parameter offset: Offset of the two hyphens of the second comment, or of the byte after them.
    static func comment(around offset: Int, in bytes: [UInt8]) -> Int? {
        func isComment(at index: Int) -> Bool { index >= 0 && bytes[index...].starts(with: "<!--".utf8) }
        guard let inner = [offset - 4, offset - 2].first(where: isComment) else { return nil }
        var index = 0
        while let start = bytes[index..<inner].firstIndex(of: UInt8(ascii: "<")) {
            guard isComment(at: start) else {
                index = start + 1
                continue
            }
            let end = Self.end(of: "-->", in: bytes, from: start + 4) ?? bytes.count
            guard end <= inner else { return start }
            index = end
        }
        return nil
    }

    /// Scans all tags.
    ///
    /// - Returns: As ``unfinished(in:)``.
    private static func scan(_ bytes: [UInt8]) throws(PropertyListError) -> Int? {
        var index = 0
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            let rest = bytes[start...]
            let end: Int?
            if rest.starts(with: "<!--".utf8) {
                end = Self.end(of: "-->", in: bytes, from: start + 4)
            } else if rest.starts(with: "<![CDATA[".utf8) {
                end = Self.end(of: "]]>", in: bytes, from: start + 9)
            } else if rest.starts(with: "<?".utf8) {
                end = Self.end(of: "?>", in: bytes, from: start + 2)
            } else {
                end = try endOfTag(in: bytes, from: start)
            }
            guard let end else { return start }
            index = end
        }
        return nil
    }

    /// Returns the index of the first byte after a tag. A `>` in quotes does not end the tag.
    private static func endOfTag(in bytes: [UInt8], from start: Int) throws(PropertyListError) -> Int {
        var quote: UInt8?
        for index in start..<min(start + longestTag, bytes.count) {
            switch bytes[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if quote == nil { quote = bytes[index] } else if quote == bytes[index] { quote = nil }
            case UInt8(ascii: ">") where quote == nil: return index + 1
            default: break
            }
        }
        guard start + longestTag >= bytes.count else {
            throw PropertyListError(
                code: .limitExceeded, reason: "a tag is longer than \(longestTag) bytes",
                position: LineTable(bytes).position(at: start, in: bytes))
        }
        return bytes.count
    }

    private static func end(of mark: String, in bytes: [UInt8], from start: Int) -> Int? {
        let mark = Array(mark.utf8)
        var index = start
        while let first = bytes[min(index, bytes.count)...].firstIndex(of: mark[0]) {
            if bytes[first...].starts(with: mark) { return first + mark.count }
            index = first + 1
        }
        return nil
    }
}
