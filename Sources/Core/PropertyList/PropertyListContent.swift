/// Content of a new property list that was not read from a file.
///
/// It is used instead of Foundation's `PropertyListSerialization`, which accepts a Swift array only if the bridge to
/// `NSArray` is linked. In a static build, the linker silently omits this bridge.
package enum PropertyListContent: Sendable {
    case string(String)
    case integer(Int)
    case boolean(Bool)
    case array([PropertyListContent])
    case dictionary([String: PropertyListContent])

    /// Returns the property list as XML. Equal contents result in the same bytes as an equal ``PropertyListDocument``.
    ///
    /// - Throws: ``PropertyListError`` `notRepresentable` for a string or key with a character that XML 1.0 does not
    ///   allow.
    package func bytes() throws(PropertyListError) -> [UInt8] { try XMLWriter.write(self) }

    /// Returns the content as JSON. Equal contents result in the same bytes as an equal ``PropertyListDocument``.
    package func json() -> [UInt8] { JSONWriter.write(self) }
}
