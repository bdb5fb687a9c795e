/// Converts big-endian UTF-16, as used in binary property lists, to UTF-8.
enum UTF16Text {
    /// Appends UTF-16 text to a buffer, as UTF-8.
    ///
    /// - Returns: `true` if the text is valid: each surrogate is part of a pair.
    static func append(_ text: UnsafeBufferPointer<UInt8>, to utf8: inout [UInt8]) -> Bool {
        var index = 0
        while index + 1 < text.count {
            let unit = unit(of: text, at: index)
            index += 2
            switch unit {
            case 0..<0x80: utf8.append(UInt8(unit))
            case 0x80..<0x800: append(0xC0, unit, continuationBytes: 1, to: &utf8)
            case 0xD800..<0xDC00:
                guard index + 1 < text.count else { return false }
                let low = self.unit(of: text, at: index)
                guard 0xDC00..<0xE000 ~= low else { return false }
                index += 2
                let scalar = 0x1_0000 + (unit - 0xD800) << 10 + (low - 0xDC00)
                append(0xF0, scalar, continuationBytes: 3, to: &utf8)
            case 0xDC00..<0xE000: return false
            default: append(0xE0, unit, continuationBytes: 2, to: &utf8)
            }
        }
        return true
    }

    private static func unit(of text: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32 {
        UInt32(text[index]) << 8 | UInt32(text[index + 1])
    }

    private static func append(_ mark: UInt8, _ scalar: UInt32, continuationBytes: UInt32, to utf8: inout [UInt8]) {
        utf8.append(mark | UInt8(scalar >> (6 * continuationBytes)))
        for place in (0..<continuationBytes).reversed() {
            utf8.append(0x80 | UInt8(scalar >> (6 * place) & 0x3F))
        }
    }
}
