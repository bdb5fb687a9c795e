import Foundation
import VitrineCommandSupport
import VitrinePropertyList

/// Conversion of property lists to JSON.
enum JSONText {
    /// Converts a property list to JSON text.
    ///
    /// - Parameter path: Path of the file, for error messages.
    /// - Throws: ``ToolFailure`` for a value that JSON cannot represent.
    static func write(_ value: PropertyListValue, path: String) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(JSONValue(value: value, path: path)), as: UTF8.self) + "\n"
    }
}

private struct JSONValue: Encodable {
    let value: PropertyListValue
    let path: String

    func encode(to encoder: any Encoder) throws {
        switch value.kind {
        case .array:
            var container = encoder.unkeyedContainer()
            for element in value.elements { try container.encode(JSONValue(value: element, path: path)) }
        case .dictionary:
            var container = encoder.container(keyedBy: JSONName.self)
            for entry in value.entries {
                let value = JSONValue(value: entry.value, path: path)
                try container.encode(value, forKey: JSONName(stringValue: entry.key))
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
                throw unsupported("number that is not finite")
            }
            try container.encode(real)
        case .date: throw unsupported("dates")
        case .data: throw unsupported("data")
        case .array, .dictionary, .uid: throw unsupported("UIDs")
        }
    }

    private func unsupported(_ what: String) -> ToolFailure {
        ToolFailure(status: .unusableData, reason: "\(path):\(value.position): JSON has no \(what)")
    }
}
