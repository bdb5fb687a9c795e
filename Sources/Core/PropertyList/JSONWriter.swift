internal import Foundation
internal import VitrineSupport

/// Writes a property list as JSON that ``JSONReader`` reads as an equal one, in the layout of Foundation's
/// `JSONEncoder`: two spaces per level, sorted keys, slashes not escaped.
struct JSONWriter {
    private var text: [UInt8] = []

    static func write(_ root: PropertyListValue) throws(PropertyListError) -> [UInt8] {
        var writer = JSONWriter()
        try writer.writeAll(root)
        guard root.kind == .array || root.kind == .dictionary else {
            throw unrepresentable(root, "a catalog in JSON is an array or an object, but this is a single value")
        }
        writer.append("\n")
        return writer.text
    }

    static func write(_ root: PropertyListContent) -> [UInt8] {
        var writer = JSONWriter()
        writer.write(root, depth: 0)
        writer.append("\n")
        return writer.text
    }

    private mutating func write(_ content: PropertyListContent, depth: Int) {
        switch content {
        case .string(let text): string(text)
        case .integer(let number): text += "\(number)".utf8
        case .boolean(let flag): append(flag ? "true" : "false")
        case .array(let elements) where elements.isEmpty: append("[]")
        case .array(let elements):
            append("[")
            for (index, element) in elements.enumerated() {
                separate(index == 0, depth + 1)
                write(element, depth: depth + 1)
            }
            line(depth)
            append("]")
        case .dictionary(let entries) where entries.isEmpty: append("{}")
        case .dictionary(let entries):
            append("{")
            let sorted = entries.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
            for (index, entry) in sorted.enumerated() {
                separate(index == 0, depth + 1)
                string(entry.key)
                append(" : ")
                write(entry.value, depth: depth + 1)
            }
            line(depth)
            append("}")
        }
    }

    /// Remaining part of the document to be written.
    private enum Step {
        /// - `isFirst`: `true` for the first value of its container.
        /// - `mayHoldDates`: `true` if the value is not inside data of the app.
        case element(PropertyListValue, isFirst: Bool, mayHoldDates: Bool)
        case entry(PropertyListValue.Entry, isFirst: Bool, mayHoldDates: Bool)
        case end(StaticString)
    }

    private mutating func writeAll(_ root: PropertyListValue) throws(PropertyListError) {
        var steps: [Step] = []
        var depth = 0
        try begin(root, mayBeDate: false, mayHoldDates: true, &steps, &depth)
        while let step = steps.popLast() {
            switch step {
            case .element(let value, let isFirst, let mayHoldDates):
                separate(isFirst, depth)
                try begin(value, mayBeDate: false, mayHoldDates: mayHoldDates, &steps, &depth)
            case .entry(let entry, let isFirst, let mayHoldDates):
                separate(isFirst, depth)
                string(entry.key)
                append(" : ")
                try begin(
                    entry.value, mayBeDate: mayHoldDates && JSONDates.isKey(entry.key.utf8),
                    mayHoldDates: mayHoldDates && !JSONDates.isAppData(entry.key.utf8), &steps, &depth)
            case .end(let mark):
                depth -= 1
                line(depth)
                append(mark)
            }
        }
    }

    /// Writes a single value, or the beginning of a container, whose content is appended to the remaining steps.
    private mutating func begin(
        _ value: PropertyListValue, mayBeDate: Bool, mayHoldDates: Bool, _ steps: inout [Step], _ depth: inout Int
    ) throws(PropertyListError) {
        switch value.kind {
        case .array where value.count == 0: append("[]")
        case .dictionary where value.count == 0: append("{}")
        case .array:
            append("[")
            steps.append(.end("]"))
            steps += value.elements.enumerated().reversed().map { index, element in
                .element(element, isFirst: index == 0, mayHoldDates: mayHoldDates)
            }
            depth += 1
        case .dictionary:
            append("{")
            steps.append(.end("}"))
            steps += value.canonicalEntries.enumerated().reversed().map { index, entry in
                .entry(entry, isFirst: index == 0, mayHoldDates: mayHoldDates)
            }
            depth += 1
        default: try scalar(value, mayBeDate: mayBeDate)
        }
    }

    private mutating func scalar(_ value: PropertyListValue, mayBeDate: Bool) throws(PropertyListError) {
        switch value.kind {
        case .string:
            var content = value.string ?? ""
            guard !mayBeDate || !content.withUTF8(JSONDates.isDate) else {
                throw Self.unrepresentable(
                    value, "JSON reads this text under a key of dates as a date; it has to be written as a date first")
            }
            string(content)
        case .boolean: append(value.boolean == true ? "true" : "false")
        case .integer: text += (value.integer.map(String.init) ?? String(value.unsignedInteger ?? 0)).utf8
        case .real:
            guard let real = value.real, real.isFinite else {
                throw Self.unrepresentable(value, "JSON has no number that is not finite")
            }
            // Swift's description has a point or an exponent, so that the number is read as a real again.
            text += "\(real)".utf8
        case .date:
            guard mayBeDate, let date = value.date else {
                throw Self.unrepresentable(
                    value, "JSON has no dates, except as text under expires, beforeDate and until of a catalog")
            }
            string(date.inSeconds)
        case .data: throw Self.unrepresentable(value, "JSON has no data")
        case .uid: throw Self.unrepresentable(value, "JSON has no UIDs")
        case .array, .dictionary: break
        }
    }

    private static func unrepresentable(_ value: PropertyListValue, _ reason: String) -> PropertyListError {
        PropertyListError(code: .notRepresentable, reason: reason, position: value.position)
    }

    private mutating func string(_ string: String) {
        append("\"")
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""): append("\\\"")
            case UInt8(ascii: "\\"): append("\\\\")
            case 0x08: append("\\b")
            case 0x09: append("\\t")
            case 0x0A: append("\\n")
            case 0x0C: append("\\f")
            case 0x0D: append("\\r")
            case 0..<0x10: text += "\\u000\(String(byte, radix: 16))".utf8
            case 0x10..<0x20: text += "\\u00\(String(byte, radix: 16))".utf8
            default: text.append(byte)
            }
        }
        append("\"")
    }

    private mutating func separate(_ isFirst: Bool, _ depth: Int) {
        if !isFirst { append(",") }
        line(depth)
    }

    private mutating func line(_ depth: Int) {
        append("\n")
        text += repeatElement(UInt8(ascii: " "), count: depth * 2)
    }

    private mutating func append(_ characters: StaticString) {
        text += UnsafeBufferPointer(start: characters.utf8Start, count: characters.utf8CodeUnitCount)
    }
}
