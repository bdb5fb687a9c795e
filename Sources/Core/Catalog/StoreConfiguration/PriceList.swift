internal import VitrinePropertyList
internal import VitrineSupport

/// Prices of products, by product identifier, read from a file: lines `product,price`, or a property list or JSON with a
/// dictionary from product identifiers to prices.
package struct PriceList: Sendable {
    private var prices: [String: String] = [:]

    /// Error in a price list.
    package struct Failure: Error {
        /// Position in the file, as in messages: `3` or `3:7`; `nil` if it is unknown.
        package let position: String?
        /// Description of the error, as the rest of a sentence.
        package let reason: String
    }

    /// Creates an empty list.
    package init() {}

    /// Reads a price list.
    ///
    /// - Parameter bytes: Content of the file.
    /// - Throws: ``Failure`` for a file in another form, a price that is not a number like 4.99, and a product that is
    ///   listed twice.
    package init(_ bytes: [UInt8]) throws(Failure) {
        let first = bytes.first { !$0.isASCIISpace }
        if first == UInt8(ascii: "<") || first == UInt8(ascii: "{") || bytes.starts(with: "bplist".utf8) {
            try readDictionary(bytes)
        } else {
            try readLines(bytes)
        }
    }

    /// Returns the price of a product, a number like 4.99; `nil` if the list does not name the product.
    package subscript(product: String) -> String? { prices[product] }

    /// Returns a remark for each product of the list that is not in a catalog.
    func remarks(about catalog: Catalog) -> [String] {
        prices.keys.filter { catalog[$0] == nil }.sorted().map { product in
            "the price of \(product.quoted) is not used: the catalog has no such product"
        }
    }

    private mutating func readDictionary(_ bytes: [UInt8]) throws(Failure) {
        let root: PropertyListValue
        do {
            root = try PropertyListDocument(bytes: bytes).root
        } catch {
            throw Failure(position: error.position?.description, reason: error.reason)
        }
        guard root.kind == .dictionary else {
            throw Failure(
                position: nil, reason: "a price list must be a dictionary, but this is \(root.kind.typeName)")
        }
        for entry in root.entries {
            guard
                let text = entry.value.string ?? entry.value.integer.map(String.init)
                    ?? entry.value.real.map({ "\($0)" })
            else {
                throw Failure(
                    position: entry.value.position.description,
                    reason: "a price must be text or a number, but this is \(entry.value.kind.typeName)")
            }
            try add(entry.key, text, at: entry.value.position.description)
        }
    }

    private mutating func readLines(_ bytes: [UInt8]) throws(Failure) {
        guard let text = String(validUnits: bytes, as: UTF8.self) else {
            throw Failure(position: nil, reason: "a price list must be text in UTF-8")
        }
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false).map { field in
                Self.unquoted(
                    String(field.drop(while: Self.isPadding).reversed().drop(while: Self.isPadding).reversed()))
            }
            // A heading may precede the prices.
            if index == 0, fields.map({ $0.lowercased() }) == ["product", "price"] { continue }
            guard fields.count == 2, !fields[0].isEmpty else {
                throw Failure(position: "\(index + 1)", reason: "a line of a price list is product,price")
            }
            try add(fields[0], fields[1], at: "\(index + 1)")
        }
    }

    /// Returns a field without the quotation marks of CSV (RFC 4180). Neither products nor prices have any of their own.
    private static func unquoted(_ field: String) -> String {
        field.count > 1 && field.hasPrefix("\"") && field.hasSuffix("\"") ? String(field.dropFirst().dropLast()) : field
    }

    private static func isPadding(_ character: Character) -> Bool { character.isWhitespace || character == "\u{FEFF}" }

    private mutating func add(_ product: String, _ price: String, at position: String) throws(Failure) {
        guard let parsed = ConfigurationPrice.parse(price), parsed != nil else {
            throw Failure(position: position, reason: "\(price.quoted) is not a price like 4.99")
        }
        guard prices.updateValue(price, forKey: product) == nil else {
            throw Failure(position: position, reason: "\(product.quoted) has two prices")
        }
    }
}

extension UInt8 {
    /// `true` if the byte is white space or a part of the byte order mark of UTF-8.
    fileprivate var isASCIISpace: Bool { self <= 0x20 || self == 0xEF || self == 0xBB || self == 0xBF }
}
