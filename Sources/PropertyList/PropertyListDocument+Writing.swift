extension PropertyListDocument {
    /// The document as a property list of a format.
    ///
    /// Equal documents give the same bytes: keys are written in their UTF-16 order, each once, with its last value.
    /// Reading them again gives an equal document, but for what XML cannot say: it keeps dates to the second, and a UID
    /// becomes a dictionary with the key `CF$UID`, as other writers make it.
    ///
    /// - Throws: ``PropertyListError`` `notRepresentable` for a string with a character that XML 1.0 does not have.
    public func bytes(as format: PropertyListFormat) throws(PropertyListError) -> [UInt8] {
        switch format {
        case .xml: try XMLWriter.write(root)
        case .binary: BinaryWriter.write(root)
        }
    }
}

extension PropertyListValue {
    /// The entries of a dictionary as they are written: each key once, with its last value, in UTF-16 order.
    var canonicalEntries: [Entry] {
        // By bytes: to Swift, two spellings of an accent are the same key.
        var last: [[UInt8]: Entry] = [:]
        for entry in entries { last[Array(entry.key.utf8)] = entry }
        return last.values.sorted { $0.key.utf16.lexicographicallyPrecedes($1.key.utf16) }
    }
}
