internal import PropertyList

/// The keys and values of a product's dictionary, looked at once.
struct ProductKeys: Sendable {
    /// A key that stands there again, with where it first stood.
    struct Repetition: Sendable {
        let key: PropertyListValue
        let first: PropertyListValue
    }

    let dictionary: PropertyListValue
    /// For each of the catalog's keys a glance at its last value.
    private var values: [PropertyListValue.Glance?]
    /// The keys that are none of the catalog's.
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

    /// The value of a key; of one that stands there twice, the last.
    subscript(key: CatalogKey) -> PropertyListValue? {
        values[key.rawValue].map(dictionary.value(at:))
    }

    /// The key stands there once, or not at all: nobody has to guess which of its values is meant.
    func isUnambiguous(_ key: CatalogKey) -> Bool {
        repetitions.isEmpty || !repetitions.contains { $0.key.string == key.name }
    }

    /// Each of the catalog's keys that is there, with a glance at its value.
    func forEach(_ use: (CatalogKey, PropertyListValue.Glance) -> Void) {
        for (index, value) in values.enumerated() {
            guard let value, let key = CatalogKey(rawValue: index) else { continue }
            use(key, value)
        }
    }

    private mutating func addRepetitionsOfUnknownKeys() {
        // By bytes: to Swift, two spellings of an accent are the same key.
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
