/// Position in a property list file. In a text, it is the line and column, counted from 1 and in Unicode scalars; in a
/// binary file, it is the byte offset.
public struct SourcePosition: Sendable, Hashable, Comparable, CustomStringConvertible {
    private enum Kind: Hashable {
        case text(line: Int, column: Int)
        case binary(byteOffset: Int)
    }

    private let kind: Kind

    /// Creates a position in a text.
    public init(line: Int, column: Int) { kind = .text(line: line, column: column) }

    /// Creates a position in a binary file.
    public init(byteOffset: Int) { kind = .binary(byteOffset: byteOffset) }

    /// Line number, from 1; `nil` in a binary file.
    public var line: Int? { if case .text(let line, _) = kind { line } else { nil } }

    /// Column number, from 1, in Unicode scalars; `nil` in a binary file.
    public var column: Int? { if case .text(_, let column) = kind { column } else { nil } }

    /// Byte offset in a binary file; `nil` in a text.
    public var byteOffset: Int? { if case .binary(let offset) = kind { offset } else { nil } }

    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        left.order < right.order
    }

    private var order: (Int, Int) {
        switch kind {
        case .text(let line, let column): (line, column)
        case .binary(let offset): (offset, 0)
        }
    }

    /// `line:column`, as in compiler messages, or `@offset` in a binary file.
    public var description: String {
        switch kind {
        case .text(let line, let column): "\(line):\(column)"
        case .binary(let offset): "@\(offset)"
        }
    }
}
