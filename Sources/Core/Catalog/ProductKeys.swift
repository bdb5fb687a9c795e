internal import VitrinePropertyList

/// Keys and values of a product's dictionary, collected in one pass.
struct ProductKeys: Sendable {
    /// A repeated key, with its first occurrence.
    struct Repetition: Sendable {
        let key: PropertyListValue
        let first: PropertyListValue
    }

    let dictionary: PropertyListValue
    /// Keys of the product, and hints at possible findings.
    private(set) var traits: ProductTraits = []
    /// Index in the document of each catalog key's last value, at the raw value of the key; 0 for a missing key.
    private var values: [UInt32]
    /// Keys that are not catalog keys, with their values.
    private(set) var unknown: [PropertyListValue.Entry] = []
    private(set) var repetitions: [Repetition] = []

    init(_ dictionary: PropertyListValue) {
        self.dictionary = dictionary
        values = Array(repeating: 0, count: CatalogKey.count)
        let table = CatalogKey.table
        var traits: ProductTraits = []
        var unknown: [UInt32] = []
        var repeated: [(key: UInt32, first: UInt32)] = []
        var firsts: [CatalogKey: UInt32] = [:]
        values.withUnsafeMutableBufferPointer { values in
            dictionary.forEachKey { key, value in
                guard let known = table.key(key) else { return unknown.append(value.number) }
                if values[known.rawValue] != 0 {
                    let first = firsts[known] ?? values[known.rawValue]
                    firsts[known] = first
                    repeated.append((value.number, first))
                }
                values[known.rawValue] = value.number
                traits.formUnion(ProductTraits(of: known, value, in: dictionary))
            }
        }
        self.traits = traits
        if !unknown.isEmpty {
            self.traits.insert(.unknownKeys)
            self.unknown = unknown.map(dictionary.value(numbered:)).map { value in
                PropertyListValue.Entry(key: value.precedingKey, value: value)
            }
        }
        if !repeated.isEmpty {
            repetitions = repeated.map { key, first in
                Repetition(
                    key: dictionary.value(numbered: key).precedingKey,
                    first: dictionary.value(numbered: first).precedingKey)
            }
        }
        if unknown.count > 1 { addRepetitionsOfUnknownKeys() }
        if !repetitions.isEmpty { self.traits.insert(.repeatedKeys) }
    }
    /// Returns the value of a key; the last one if the key is repeated.
    subscript(key: CatalogKey) -> PropertyListValue? {
        let number = values[key.rawValue]
        return number == 0 ? nil : dictionary.value(numbered: number)
    }

    /// Returns `true` if the key is not repeated, so that its intended value is clear.
    func isUnambiguous(_ key: CatalogKey) -> Bool {
        repetitions.isEmpty || !repetitions.contains { $0.key.string == key.name }
    }

    /// Calls `use` for each catalog key in the dictionary, with a summary of its value.
    func forEach(_ use: (CatalogKey, PropertyListValue.Glance) -> Void) {
        for key in CatalogKey.allCases {
            if let value = self[key] { use(key, value.glance) }
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
