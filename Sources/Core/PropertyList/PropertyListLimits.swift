/// Limits for parsing a property list: maximum sizes, counts and depth.
public struct PropertyListLimits: Sendable, Hashable {
    /// Maximum file size in bytes: 16 MiB by default. Values above 1 GiB are reduced to 1 GiB.
    public var size: Int { didSet { size = min(size, Self.largestSize) } }
    /// Maximum nesting depth of arrays and dictionaries: 128 by default.
    public var depth: Int
    /// Maximum number of keys and values of all types together: 2,000,000 by default.
    public var nodes: Int
    /// Maximum length in bytes of a string (in UTF-8) and of a data value: 4 MiB by default.
    public var stringLength: Int
    /// Maximum length of a key in bytes of UTF-8: 64 KiB by default.
    public var keyLength: Int

    public init(
        size: Int = 16 * 1024 * 1024, depth: Int = 128, nodes: Int = 2_000_000, stringLength: Int = 4 * 1024 * 1024,
        keyLength: Int = 64 * 1024
    ) {
        self.size = min(size, Self.largestSize)
        self.depth = depth
        self.nodes = nodes
        self.stringLength = stringLength
        self.keyLength = keyLength
    }

    /// Returns the error reason for a key, string or data value of `count` bytes that exceeds its limit; `nil` if it is
    /// within the limit.
    func excess(of kind: Node.Kind, _ count: Int) -> String? {
        switch kind {
        case .key: count <= keyLength ? nil : "a key is longer than \(keyLength) bytes"
        case .data: count <= stringLength ? nil : "a data value is longer than \(stringLength) bytes"
        default: count <= stringLength ? nil : "a string is longer than \(stringLength) bytes"
        }
    }

    /// Upper bound of ``size``: offsets are stored in 32 bits, and libxml2 counts in `Int32`.
    static let largestSize = 1 << 30
}
