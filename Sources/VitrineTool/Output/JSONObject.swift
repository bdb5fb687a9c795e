/// JSON object of a report. Members without a value are left out.
struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
    private let write: (any Encoder) throws -> Void

    /// Creates a JSON object from a value that encodes itself.
    init(_ document: some Encodable) { write = document.encode }

    init(dictionaryLiteral members: (String, (any Encodable)?)...) {
        write = { encoder in
            var container = encoder.container(keyedBy: JSONName.self)
            for (name, value) in members {
                if let value { try container.encode(value, forKey: JSONName(stringValue: name)) }
            }
        }
    }

    func encode(to encoder: any Encoder) throws { try write(encoder) }
}

/// Name of a member of a JSON object.
struct JSONName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}
