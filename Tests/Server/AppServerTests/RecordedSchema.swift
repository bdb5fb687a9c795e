import Foundation
import VitrineSupport

/// Schema of a JSON document, which the decoding of its type shows.
indirect enum RecordedSchema: Hashable {
    struct Property: Hashable {
        let schema: RecordedSchema
        let isRequired: Bool
    }

    case string, integer, boolean
    /// One of several texts.
    case choice(Set<String>)
    case array(RecordedSchema)
    /// Object whose members all have the same schema.
    case map(RecordedSchema)
    case object([String: Property])

    /// Decodes a value from a decoder that answers each question with a sample, and records the questions.
    init<Value: Decodable>(of type: Value.Type) throws { self = try SchemaRecorder.sample(of: type).schema }
}

/// Decoder that answers with samples.
private final class SchemaRecorder: Decoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    fileprivate var properties: [String: RecordedSchema.Property] = [:]
    fileprivate var optional: Set<String> = []
    fileprivate var single: RecordedSchema?
    fileprivate var element: RecordedSchema?

    static func sample<Value: Decodable>(
        of type: Value.Type
    ) throws -> (value: Value, schema: RecordedSchema) {
        let simple: [(Any, RecordedSchema)] = [
            ("a", .string), (Data(), .string), (UUID(), .string), (1, .integer), (Int64(1), .integer), (true, .boolean),
            ([String: Int](), .map(.integer)), ([String: String](), .map(.string)),
        ]
        // An empty dictionary can be cast to one with values of any type.
        for (value, schema) in simple where Swift.type(of: value) == type {
            if let value = value as? Value { return (value, schema) }
        }
        if let choices = type as? any CaseIterable.Type, let (value, texts) = Self.choices(choices),
            let value = value as? Value
        {
            return (value, .choice(texts))
        }
        let recorder = SchemaRecorder()
        let value = try Value(from: recorder)
        return (value, recorder.single ?? recorder.element.map { .array($0) } ?? .object(recorder.properties))
    }

    private static func choices<Choice: CaseIterable>(_: Choice.Type) -> (Any, Set<String>)? {
        let texts = Choice.allCases.compactMap { ($0 as? any RawRepresentable)?.rawValue as? String }
        guard let first = Choice.allCases.first, !texts.isEmpty else { return nil }
        return (first, Set(texts))
    }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedSamples<Key>(recorder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { UnkeyedSamples(recorder: self) }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleSample(recorder: self) }
}

private struct KeyedSamples<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let recorder: SchemaRecorder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    /// Only the decoding of an optional value asks whether there is one.
    func contains(_ key: Key) -> Bool {
        recorder.optional.insert(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let sample = try SchemaRecorder.sample(of: type)
        recorder.properties[key.stringValue] = RecordedSchema.Property(
            schema: sample.schema, isRequired: !recorder.optional.contains(key.stringValue))
        return sample.value
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw Unexpected() }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw Unexpected() }

    func superDecoder() throws -> any Decoder { throw Unexpected() }

    func superDecoder(forKey key: Key) throws -> any Decoder { throw Unexpected() }
}

/// Array with one element.
private struct UnkeyedSamples: UnkeyedDecodingContainer {
    let recorder: SchemaRecorder
    var codingPath: [any CodingKey] { [] }
    var count: Int? { 1 }
    var currentIndex = 0
    var isAtEnd: Bool { currentIndex > 0 }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let sample = try SchemaRecorder.sample(of: type)
        (recorder.element, currentIndex) = (sample.schema, 1)
        return sample.value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { throw Unexpected() }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Unexpected() }

    mutating func superDecoder() throws -> any Decoder { throw Unexpected() }
}

private struct SingleSample: SingleValueDecodingContainer {
    let recorder: SchemaRecorder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let sample = try SchemaRecorder.sample(of: type)
        recorder.single = sample.schema
        return sample.value
    }
}

private struct Unexpected: Error {}
