/// Position in a property list file. In a text, it is the line and column, counted from 1 and in Unicode scalars; in a
/// binary file, it is the byte offset.
public struct SourcePosition: Sendable, Hashable, Comparable, CustomStringConvertible {
    private enum Place: Hashable {
        case text(line: Int, column: Int)
        case binary(byteOffset: Int)
    }

    private let place: Place

    /// Creates a position in a text.
    public init(line: Int, column: Int) { place = .text(line: line, column: column) }

    /// Creates a position in a binary file.
    public init(byteOffset: Int) { place = .binary(byteOffset: byteOffset) }

    /// Line number, from 1; `nil` in a binary file.
    public var line: Int? { if case .text(let line, _) = place { line } else { nil } }

    /// Column number, from 1, in Unicode scalars; `nil` in a binary file.
    public var column: Int? { if case .text(_, let column) = place { column } else { nil } }

    /// Byte offset in a binary file; `nil` in a text.
    public var byteOffset: Int? { if case .binary(let offset) = place { offset } else { nil } }

    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        left.order < right.order
    }

    private var order: (Int, Int) {
        switch place {
        case .text(let line, let column): (line, column)
        case .binary(let offset): (offset, 0)
        }
    }

    /// `line:column`, as in compiler messages, or `@offset` in a binary file.
    public var description: String {
        switch place {
        case .text(let line, let column): "\(line):\(column)"
        case .binary(let offset): "@\(offset)"
        }
    }
}
