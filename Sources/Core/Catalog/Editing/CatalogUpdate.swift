package import VitrinePropertyList
internal import VitrineSupport

/// Reason why a catalog is not updated.
package struct CatalogUpdateError: Error {
    /// `true` if the catalog is not a property list.
    package let isUnreadable: Bool
    package let position: SourcePosition?
    /// Description of the error, as the rest of a sentence.
    package let reason: String

    fileprivate init(_ reason: String) { (isUnreadable, position, self.reason) = (false, nil, reason) }

    fileprivate init(_ error: PropertyListError) {
        (isUnreadable, position, reason) = (true, error.position, error.reason)
    }
}

/// Update of values in a product's dictionary in a catalog file; every other byte of the file stays unchanged.
package struct CatalogUpdate {
    private let product: String
    private let values: [(key: String, value: CatalogUpdateValue)]

    package init(product: String, values: [(key: String, value: CatalogUpdateValue)]) {
        self.product = product
        self.values = values
    }

    /// Returns the catalog file with the new values in the product's dictionary.
    ///
    /// - Parameter bytes: Catalog as XML in UTF-8.
    /// - Throws: ``CatalogUpdateError`` if the catalog is not a property list, is not XML in UTF-8, does not contain
    ///   the product exactly once, or cannot be updated without other changes.
    package func updated(_ bytes: [UInt8]) throws(CatalogUpdateError) -> [UInt8] {
        let document = try document(bytes)
        guard document.format == .xml, document.source == bytes else {
            throw CatalogUpdateError("the catalog is not XML in UTF-8 and cannot be updated in place")
        }
        let after = try updated(document)
        let isUpdate = try? CatalogUpdateCheck(product: product, values: values)
            .isMet(from: document.root, to: PropertyListDocument(bytes: after).root)
        guard isUpdate == true else {
            throw CatalogUpdateError("\(product.quoted) cannot be updated without changing other parts of the catalog")
        }
        return after
    }

    /// Returns the texts that the product's dictionary has for the keys of the update.
    ///
    /// - Parameter bytes: Catalog as a property list.
    /// - Throws: ``CatalogUpdateError`` if the catalog is not a property list, or does not contain the product exactly
    ///   once.
    package func present(in bytes: [UInt8]) throws(CatalogUpdateError) -> [String: String] {
        let declaration = try declaration(in: document(bytes))
        return Dictionary(
            values.compactMap { value in
                declaration.entries.first { $0.key == value.key }?.value.string.map { (value.key, $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    private func document(_ bytes: [UInt8]) throws(CatalogUpdateError) -> PropertyListDocument {
        do {
            return try PropertyListDocument(bytes: bytes)
        } catch {
            throw CatalogUpdateError(error)
        }
    }

    private func updated(_ document: PropertyListDocument) throws(CatalogUpdateError) -> [UInt8] {
        let bytes = document.source
        let declaration = try declaration(in: document)
        var edits: [(range: Range<Int>, text: String)] = []
        var added = ""
        for (key, value) in values {
            guard let element = value.element else {
                throw CatalogUpdateError("\(key) of \(product.quoted) contains characters that XML cannot represent")
            }
            let entries = declaration.entries.filter { $0.key == key }
            guard entries.count <= 1 else {
                throw CatalogUpdateError("\(key) occurs twice in \(product.quoted)")
            }
            if let present = entries.first?.value {
                guard let range = present.sourceRange, !present.hasRemarks(in: range) else {
                    throw CatalogUpdateError("\(key) of \(product.quoted) contains a comment, which would be lost")
                }
                edits.append((range, element))
            } else {
                added += spaceBeforeKey(declaration, bytes) + "<key>\(key)</key>"
                added += spaceBeforeValue(declaration, bytes) + element
            }
        }
        guard let end = declaration.entries.last?.value.sourceRange?.upperBound else {
            throw CatalogUpdateError("the entry of \(product.quoted) in the catalog cannot be updated")
        }
        edits.append((end..<end, added))
        var updated: [UInt8] = []
        var position = 0
        // An added key is inserted after a value that ends at the same position.
        edits.sort { ($0.range.upperBound, -$0.range.count) < ($1.range.upperBound, -$1.range.count) }
        for (range, text) in edits {
            updated += bytes[position..<range.lowerBound] + Array(text.utf8)
            position = range.upperBound
        }
        return updated + bytes[position...]
    }

    /// Number of products among which the intended one is looked for.
    private static let mostSuggestedProducts = 1_000

    /// Returns the only dictionary in the catalog that declares the updated product.
    private func declaration(in document: PropertyListDocument) throws(CatalogUpdateError) -> PropertyListValue {
        let products = document.root.catalogProducts
        let found = products.filter { $0.isProduct(product) }
        guard let declaration = found.first, found.count == 1 else {
            let others = products.prefix(Self.mostSuggestedProducts).compactMap { $0["productIdentifier"]?.string }
            throw CatalogUpdateError(
                found.isEmpty
                    ? "the catalog has no dictionary of \(product.quoted)"
                        + EditDistance.question(for: product, among: others)
                    : "the catalog contains \(product.quoted) twice")
        }
        return declaration
    }

    /// Returns the white space before the last key of a product's dictionary, as indentation for an added key.
    private func spaceBeforeKey(_ declaration: PropertyListValue, _ bytes: [UInt8]) -> String {
        declaration.entries.last.map { space(before: $0.value.precedingKey, bytes) } ?? ""
    }

    private func spaceBeforeValue(_ declaration: PropertyListValue, _ bytes: [UInt8]) -> String {
        declaration.entries.last.map { space(before: $0.value, bytes) } ?? ""
    }

    private func space(before value: PropertyListValue, _ bytes: [UInt8]) -> String {
        guard let range = value.sourceRange, let whole = value.sourceRangeWithIndentation else { return "" }
        return String(decoding: bytes[whole.lowerBound..<range.lowerBound], as: UTF8.self)
    }
}

/// Value that is written into a catalog.
package enum CatalogUpdateValue {
    case string(String)
    case strings([String])
    case integer(Int)

    /// XML element for the value; `nil` for a text that XML cannot represent.
    var element: String? {
        switch self {
        case .string(let text):
            let spellings = text.unicodeScalars.map(XMLText.spelling)
            return spellings.contains(nil) ? nil : "<string>\(spellings.compactMap(\.self).joined())</string>"
        case .strings(let texts):
            let elements = texts.map { CatalogUpdateValue.string($0).element }
            return elements.contains(nil) ? nil : "<array>\(elements.compactMap(\.self).joined())</array>"
        case .integer(let number): return "<integer>\(number)</integer>"
        }
    }

    fileprivate func isSaid(by value: PropertyListValue) -> Bool {
        switch self {
        case .string(let text): value.string?.utf8.elementsEqual(text.utf8) == true
        case .strings(let texts):
            value.kind == .array
                && value.elements.elementsEqual(texts) { CatalogUpdateValue.string($1).isSaid(by: $0) }
        case .integer(let number): value.integer == number
        }
    }
}

/// Comparison of a catalog before and after an update: one product must have the new values, and everything else must
/// be unchanged.
struct CatalogUpdateCheck {
    let product: String
    let values: [(key: String, value: CatalogUpdateValue)]

    func isMet(from before: PropertyListValue, to after: PropertyListValue) -> Bool {
        let (old, new) = (before.catalogProducts, after.catalogProducts)
        return before.kind == after.kind && old.count == new.count
            && isSame(before.entries.filter { $0.key != "products" }, after.entries.filter { $0.key != "products" })
            && zip(old, new).allSatisfy { $0.isProduct(product) ? isUpdated($0, to: $1) : $0 == $1 }
    }

    private func isUpdated(_ old: PropertyListValue, to new: PropertyListValue) -> Bool {
        let keys = values.map(\.key)
        func others(_ value: PropertyListValue) -> [PropertyListValue.Entry] {
            value.entries.filter { !keys.contains($0.key) }
        }
        return isSame(others(old), others(new))
            && values.allSatisfy { key, value in
                let found = new.entries.filter { $0.key == key }
                return found.count == 1 && value.isSaid(by: found[0].value)
            }
    }

    private func isSame(_ old: [PropertyListValue.Entry], _ new: [PropertyListValue.Entry]) -> Bool {
        old.elementsEqual(new) { $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value }
    }
}

extension PropertyListValue {
    /// Products of a catalog: an array, or a dictionary with the array `products`.
    var catalogProducts: [PropertyListValue] { (kind == .array ? self : self["products"] ?? self).elements }

    /// Returns `true` if this value is the dictionary of the product with an identifier.
    func isProduct(_ identifier: String) -> Bool {
        self["productIdentifier"]?.string?.utf8.elementsEqual(identifier.utf8) == true
    }
}
