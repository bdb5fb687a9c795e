internal import PropertyList

/// Where something stands in a file, worked out when somebody asks: most is never asked for.
struct Place: Sendable, Hashable, Comparable {
    /// The value that stands there.
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

    /// The order of places in one file; what has no place comes first.
    static func < (left: Place, right: Place) -> Bool {
        if let left = left.value, let right = right.value, let order = left.isBefore(right) { return order }
        let beginning = SourcePosition(line: 0, column: 0)
        return left.position ?? beginning < right.position ?? beginning
    }

    static func == (left: Place, right: Place) -> Bool { left.position == right.position }

    func hash(into hasher: inout Hasher) { hasher.combine(position) }
}

/// A value together with where it stands.
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
