internal import PropertyList

/// Position in a catalog file. Its line and column are computed on access, because most are never used.
struct Place: Sendable, Hashable, Comparable {
    /// Value at the position; `nil` if only the position is known.
    let value: PropertyListValue?
    private let known: SourcePosition?

    init(of value: PropertyListValue) {
        self.value = value
        known = nil
    }

    init(_ position: SourcePosition?) {
        value = nil
        known = position
    }

    var position: SourcePosition? { value?.position ?? known }

    /// Orders places in one file. A place without a position is first.
    static func < (left: Place, right: Place) -> Bool {
        if let left = left.value, let right = right.value, let order = left.isBefore(right) { return order }
        let beginning = SourcePosition(line: 0, column: 0)
        return left.position ?? beginning < right.position ?? beginning
    }

    static func == (left: Place, right: Place) -> Bool { left.position == right.position }

    func hash(into hasher: inout Hasher) { hasher.combine(position) }
}

/// Value together with its position in a catalog file.
struct Located<Value: Sendable>: Sendable {
    let value: Value
    let place: Place

    init(value: Value, place: Place) {
        self.value = value
        self.place = place
    }

    init(value: Value, position: SourcePosition?) { self.init(value: value, place: Place(position)) }

    var position: SourcePosition? { place.position }
}
