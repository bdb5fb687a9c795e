/// JSON object of a report. Members with the value `nil` are omitted.
package struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
    private let write: (any Encoder) throws -> Void

    /// Creates a JSON object from an encodable value.
    package init(_ document: some Encodable) { write = document.encode }

    package init(dictionaryLiteral members: (String, (any Encodable)?)...) { self.init(members) }

    /// Creates a JSON object from its members.
    package init(_ members: [(String, (any Encodable)?)]) {
        write = { encoder in
            var container = encoder.container(keyedBy: JSONName.self)
            for (name, value) in members {
                if let value { try container.encode(value, forKey: JSONName(stringValue: name)) }
            }
        }
    }

    package func encode(to encoder: any Encoder) throws { try write(encoder) }
}

/// Name of a member of a JSON object.
package struct JSONName: CodingKey {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringValue: String) { self.stringValue = stringValue }

    package init?(intValue: Int) { nil }
}
