internal import PropertyList

/// Where something stands in a file, worked out when somebody asks: most is never asked for.
struct Place: Sendable, Equatable {
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

    static func == (left: Place, right: Place) -> Bool { left.position == right.position }
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
