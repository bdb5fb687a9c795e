extension PropertyListDocument {
    /// Returns the document serialized in a format.
    ///
    /// Equal documents result in the same bytes: each key is written once with its last value, in UTF-16 order. Parsing
    /// the bytes results in an equal document, except for the limits of XML: dates are rounded down to the second, and
    /// a UID becomes a dictionary with the key `CF$UID`, as in the output of other writers. JSON has whole seconds too.
    ///
    /// - Throws: ``PropertyListError`` `notRepresentable` for a value that the format does not have: in XML 1.0 some
    ///   control characters; in JSON data, UIDs, numbers that are not finite, dates under other keys than those of
    ///   catalogs, strings in the form of a date under these keys, and a root that is neither an array nor a dictionary.
    public func bytes(as format: PropertyListFormat) throws(PropertyListError) -> [UInt8] {
        switch format {
        case .xml: try XMLWriter.write(root)
        case .binary: BinaryWriter.write(root)
        case .json: try JSONWriter.write(root)
        }
    }
}

extension PropertyListValue {
    /// Entries of a dictionary in the order of serialization: each key once, with its last value, in UTF-16 order.
    var canonicalEntries: [Entry] {
        // Keys are compared by bytes: Swift strings treat canonically equivalent keys as equal.
        var last: [[UInt8]: Entry] = [:]
        for entry in entries { last[Array(entry.key.utf8)] = entry }
        return last.values.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
    }
}
