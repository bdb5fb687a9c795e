internal import VitrinePropertyList

/// Position in a catalog file. Line and column are computed on access, because most positions are never used.
struct SourceLocation: Sendable, Hashable, Comparable {
    private enum Source {
        case value(PropertyListValue)
        case known(SourcePosition)
        case none
    }

    private let source: Source

    init(of value: PropertyListValue) { source = .value(value) }

    init(_ position: SourcePosition?) { source = position.map { .known($0) } ?? .none }

    /// Value at the position; `nil` if only the position is known.
    var value: PropertyListValue? { if case .value(let value) = source { value } else { nil } }

    var position: SourcePosition? {
        switch source {
        case .value(let value): value.position
        case .known(let position): position
        case .none: nil
        }
    }

    /// Orders positions in one file. An unknown position is first.
    static func < (left: SourceLocation, right: SourceLocation) -> Bool {
        if let left = left.value, let right = right.value, let order = left.isBefore(right) { return order }
        let beginning = SourcePosition(line: 0, column: 0)
        return left.position ?? beginning < right.position ?? beginning
    }

    static func == (left: SourceLocation, right: SourceLocation) -> Bool { left.position == right.position }

    func hash(into hasher: inout Hasher) { hasher.combine(position) }
}

/// Value together with its position in a catalog file.
struct Located<Value: Sendable>: Sendable {
    let value: Value
    let location: SourceLocation

    var position: SourcePosition? { location.position }
}

extension Located {
    init(value: Value, position: SourcePosition?) { self.init(value: value, location: SourceLocation(position)) }
}
