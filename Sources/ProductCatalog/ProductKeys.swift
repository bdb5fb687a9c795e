internal import PropertyList

/// Keys and values of a product's dictionary, collected in one pass.
struct ProductKeys: Sendable {
    /// A repeated key, with its first occurrence.
    struct Repetition: Sendable {
        let key: PropertyListValue
        let first: PropertyListValue
    }

    let dictionary: PropertyListValue
    /// Last value of each catalog key, as a glance.
    private var values: [PropertyListValue.Glance?]
    /// Entries whose keys are not catalog keys.
    private(set) var unknown: [PropertyListValue.Entry] = []
    private(set) var repetitions: [Repetition] = []

    init(_ dictionary: PropertyListValue) {
        self.dictionary = dictionary
        values = Array(repeating: nil, count: CatalogKey.count)
        var unknown: [PropertyListValue.Glance] = []
        var repeated: [(key: PropertyListValue.Glance, first: PropertyListValue.Glance)] = []
        var firsts: [CatalogKey: PropertyListValue.Glance] = [:]
        values.withUnsafeMutableBufferPointer { values in
            dictionary.forEachKey { key, value in
                guard let known = CatalogKey(utf8: key) else { return unknown.append(value) }
                if let earlier = values[known.rawValue] {
                    let first = firsts[known] ?? earlier
                    firsts[known] = first
                    repeated.append((value, first))
                }
                values[known.rawValue] = value
            }
        }
        if !unknown.isEmpty {
            self.unknown = unknown.map(dictionary.value(at:)).map { value in
                PropertyListValue.Entry(key: value.precedingKey, value: value)
            }
        }
        if !repeated.isEmpty {
            repetitions = repeated.map { key, first in
                Repetition(
                    key: dictionary.value(at: key).precedingKey, first: dictionary.value(at: first).precedingKey)
            }
        }
        if unknown.count > 1 { addRepetitionsOfUnknownKeys() }
    }

    /// Returns the value of a key; the last one if the key is repeated.
    subscript(key: CatalogKey) -> PropertyListValue? {
        values[key.rawValue].map(dictionary.value(at:))
    }

    /// Returns `true` if the key is not repeated, so that its intended value is clear.
    func isUnambiguous(_ key: CatalogKey) -> Bool {
        repetitions.isEmpty || !repetitions.contains { $0.key.string == key.name }
    }

    /// Calls `use` for each catalog key in the dictionary, with a glance at its value.
    func forEach(_ use: (CatalogKey, PropertyListValue.Glance) -> Void) {
        for (index, value) in values.enumerated() {
            guard let value, let key = CatalogKey(rawValue: index) else { continue }
            use(key, value)
        }
    }

    private mutating func addRepetitionsOfUnknownKeys() {
        // Keys are compared by bytes: Swift strings treat canonically equivalent keys as equal.
        var firsts: [[UInt8]: PropertyListValue] = [:]
        for entry in unknown {
            let name = Array(entry.key.utf8)
            if let first = firsts[name] {
                repetitions.append(Repetition(key: entry.keyValue, first: first))
            } else {
                firsts[name] = entry.keyValue
            }
        }
    }
}
