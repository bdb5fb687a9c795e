import Foundation
import PropertyList

/// Conversion of property lists to JSON, for values that JSON can represent.
enum JSONText {
    /// - Parameter path: Path of the file, for messages.
    static func write(_ value: PropertyListValue, path: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(JSONValue(value: value)), as: UTF8.self) + "\n"
        } catch let unsayable as JSONValue.Unsayable {
            throw ToolFailure(
                status: .unusableData, reason: "\(path):\(unsayable.position): JSON has no \(unsayable.what)")
        }
    }
}

private struct JSONValue: Encodable {
    struct Unsayable: Error {
        let what: String
        let position: SourcePosition
    }

    let value: PropertyListValue

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        switch value.kind {
        case .array:
            var container = encoder.unkeyedContainer()
            for element in value.elements { try container.encode(JSONValue(value: element)) }
        case .dictionary:
            var container = encoder.container(keyedBy: Key.self)
            for entry in value.entries {
                try container.encode(JSONValue(value: entry.value), forKey: Key(stringValue: entry.key))
            }
        default:
            var container = encoder.singleValueContainer()
            try encode(into: &container)
        }
    }

    private func encode(into container: inout any SingleValueEncodingContainer) throws {
        switch value.kind {
        case .string: try container.encode(value.string ?? "")
        case .boolean: try container.encode(value.boolean ?? false)
        case .integer:
            if let integer = value.integer {
                try container.encode(integer)
            } else {
                try container.encode(value.unsignedInteger ?? 0)
            }
        case .real:
            guard let real = value.real, real.isFinite else {
                throw Unsayable(what: "number that is not finite", position: value.position)
            }
            try container.encode(real)
        case .date: throw Unsayable(what: "dates", position: value.position)
        case .data: throw Unsayable(what: "data", position: value.position)
        case .array, .dictionary, .uid: throw Unsayable(what: "UIDs", position: value.position)
        }
    }
}
