import PropertyList

/// Value that is written into a catalog.
enum CatalogUpdateValue {
    case string(String)
    case strings([String])
    case integer(Int)

    /// XML element; `nil` for a text that XML cannot represent.
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
    /// Products of a catalog in either format.
    var catalogProducts: [PropertyListValue] { (kind == .array ? self : self["products"] ?? self).elements }

    /// Returns `true` if this is the dictionary of a product.
    func isProduct(_ identifier: String) -> Bool {
        self["productIdentifier"]?.string?.utf8.elementsEqual(identifier.utf8) == true
    }
}
