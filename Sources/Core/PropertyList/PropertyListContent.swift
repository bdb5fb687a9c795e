/// Content of a property list that is written and was not read from a file.
///
/// Foundation's `PropertyListSerialization` takes a Swift array only where its bridge to `NSArray` is linked. A linker of a
/// static Foundation leaves the bridge out without a message.
package enum PropertyListContent: Sendable {
    case string(String)
    case integer(Int)
    case boolean(Bool)
    case array([PropertyListContent])
    case dictionary([String: PropertyListContent])

    /// Returns the property list as XML. Equal contents give the same bytes, which are those of an equal
    /// ``PropertyListDocument``.
    ///
    /// - Throws: ``PropertyListError`` `notRepresentable` for a string or key with a character that XML 1.0 does not
    ///   allow.
    package func bytes() throws(PropertyListError) -> [UInt8] { try XMLWriter.write(self) }
}
