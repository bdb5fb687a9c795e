internal import Foundation
internal import VitrineSupport

/// Writes XML in the layout of `plutil -convert xml1`: one tab per level, Base64 in lines of at most 76 columns.
struct XMLWriter {
    private var text: [UInt8] = []

    static func write(_ root: PropertyListValue) throws(PropertyListError) -> [UInt8] {
        try write { (writer) throws(PropertyListError) in try writer.writeAll(root) }
    }

    static func write(_ root: PropertyListContent) throws(PropertyListError) -> [UInt8] {
        try write { (writer) throws(PropertyListError) in try writer.write(root, depth: 0) }
    }

    private static func write(
        _ writeRoot: (inout XMLWriter) throws(PropertyListError) -> Void
    ) throws(PropertyListError) -> [UInt8] {
        var writer = XMLWriter()
        writer.line(#"<?xml version="1.0" encoding="UTF-8"?>"#, depth: 0)
        writer.line(
            #"<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">"#,
            depth: 0)
        writer.line(#"<plist version="1.0">"#, depth: 0)
        try writeRoot(&writer)
        writer.line("</plist>", depth: 0)
        return writer.text
    }

    /// Remaining part of the document to be written: a value, a key, or the end tag of a container.
    private enum Step {
        case value(PropertyListValue)
        case key(PropertyListValue.Entry)
        case end(String)
    }

    private mutating func writeAll(_ root: PropertyListValue) throws(PropertyListError) {
        var depth = 0
        var steps = [Step.value(root)]
        while let step = steps.popLast() {
            switch step {
            case .end(let name):
                depth -= 1
                line("</\(name)>", depth: depth)
            case .key(let entry):
                try element("key", entry.key, at: entry.keyPosition, depth: depth)
            case .value(let value) where value.kind == .array && value.count > 0:
                line("<array>", depth: depth)
                steps.append(.end("array"))
                steps += value.elements.reversed().map(Step.value)
                depth += 1
            case .value(let value) where value.kind == .dictionary && value.count > 0:
                line("<dict>", depth: depth)
                steps.append(.end("dict"))
                steps += value.canonicalEntries.reversed().flatMap { [Step.value($0.value), .key($0)] }
                depth += 1
            case .value(let value): try scalar(value, depth: depth)
            }
        }
    }

    private mutating func write(_ content: PropertyListContent, depth: Int) throws(PropertyListError) {
        switch content {
        case .string(let text): try element("string", text, depth: depth)
        case .integer(let number): line("<integer>\(number)</integer>", depth: depth)
        case .boolean(let flag): line(flag ? "<true/>" : "<false/>", depth: depth)
        case .array(let elements) where elements.isEmpty: line("<array/>", depth: depth)
        case .array(let elements):
            line("<array>", depth: depth)
            for element in elements { try write(element, depth: depth + 1) }
            line("</array>", depth: depth)
        case .dictionary(let entries) where entries.isEmpty: line("<dict/>", depth: depth)
        case .dictionary(let entries):
            line("<dict>", depth: depth)
            for (key, value) in entries.sorted(by: { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }) {
                try element("key", key, depth: depth + 1)
                try write(value, depth: depth + 1)
            }
            line("</dict>", depth: depth)
        }
    }

    private mutating func scalar(_ value: PropertyListValue, depth: Int) throws(PropertyListError) {
        switch value.kind {
        case .array: line("<array/>", depth: depth)
        case .dictionary: line("<dict/>", depth: depth)
        case .string: try element("string", value.string ?? "", at: value.position, depth: depth)
        case .integer:
            line(
                "<integer>\(value.integer.map(String.init) ?? String(value.unsignedInteger ?? 0))</integer>",
                depth: depth)
        case .real: line("<real>\(ScalarText.text(ofReal: value.real ?? 0))</real>", depth: depth)
        case .boolean: line(value.boolean == true ? "<true/>" : "<false/>", depth: depth)
        case .date: line("<date>\((value.date ?? Date()).inSeconds)</date>", depth: depth)
        case .data: data(value.data ?? Data(), depth: depth)
        case .uid:
            line("<dict>", depth: depth)
            line("<key>CF$UID</key>", depth: depth + 1)
            line("<integer>\(value.uid ?? 0)</integer>", depth: depth + 1)
            line("</dict>", depth: depth)
        }
    }

    private static let longestLine = 76
    private static let tabWidth = 8
    private static let deepestIndentation = 8

    private mutating func data(_ data: Data, depth: Int) {
        let depth = min(depth, Self.deepestIndentation)
        let length = max(4, Self.longestLine - depth * Self.tabWidth)
        line("<data>", depth: depth)
        let base64 = Array(data.base64EncodedString().utf8)
        for start in stride(from: 0, to: base64.count, by: length) {
            indent(depth)
            text += base64[start..<min(start + length, base64.count)]
            text.append(UInt8(ascii: "\n"))
        }
        line("</data>", depth: depth)
    }

    private mutating func element(
        _ name: String, _ content: String, at position: SourcePosition? = nil, depth: Int
    ) throws(PropertyListError) {
        indent(depth)
        text += "<\(name)>".utf8
        for scalar in content.unicodeScalars {
            guard let spelling = XMLText.spelling(of: scalar) else {
                throw PropertyListError(
                    code: .notRepresentable,
                    reason: "XML cannot represent \(scalar.escaped(asASCII: true)), found in a \(name)",
                    position: position)
            }
            text += spelling.utf8
        }
        text += "</\(name)>\n".utf8
    }

    private mutating func line(_ line: String, depth: Int) {
        indent(depth)
        text += line.utf8
        text.append(UInt8(ascii: "\n"))
    }

    private mutating func indent(_ depth: Int) {
        text += repeatElement(UInt8(ascii: "\t"), count: depth)
    }
}
