internal import VitrinePropertyList

/// Fixes for values of a wrong type in a catalog file, if the intended value is unambiguous.
enum ValueTypeFix {
    static func fix(of key: CatalogKey, _ value: PropertyListValue) -> Diagnostic.Fix? {
        if key.accepts(.boolean) != key.accepts(.integer) {
            if key.accepts(.boolean), let meant = boolean(value) {
                return .replacing(value, with: "<\(meant)/>", "change the value to \(meant)")
            }
            if key.accepts(.integer), let meant = integer(value) {
                return .replacing(
                    value, with: "<integer>\(meant)</integer>", "change the value to the integer \(meant)")
            }
        }
        return nil
    }

    private static func boolean(_ value: PropertyListValue) -> Bool? {
        switch (value.string?.lowercased(), value.integer) {
        case ("yes", _), ("true", _), ("1", _), (_, 1): true
        case ("no", _), ("false", _), ("0", _), (_, 0): false
        default: nil
        }
    }

    /// Converts a string of digits, or a real number without a fraction, to an integer.
    private static func integer(_ value: PropertyListValue) -> Int? {
        if let real = value.real { return Int(exactly: real) }
        guard let text = value.string, text.count <= 18, text.wholeMatch(of: /[1-9][0-9]*/) != nil else { return nil }
        return Int(text)
    }
}
