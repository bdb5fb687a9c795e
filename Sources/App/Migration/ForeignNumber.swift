internal import Vitrine

/// Number that a legacy library has written.
enum ForeignNumber: Sendable, Hashable {
    case integer(Int)
    /// Number with a fraction, or one that does not fit in 64 bits.
    case real(Double)

    /// Returns the number as a non-negative integer. Objective-C's numbers do not record whether they were meant as
    /// integers: MKStoreKit counts in `double`.
    ///
    /// - Throws: ``UnusableValue`` with the reason if the number is negative or not an integer.
    func count() throws(UnusableValue) -> Int {
        switch self {
        case .integer(let integer):
            guard integer >= 0 else { throw UnusableValue(reason: "\(integer) is below zero") }
            return integer
        case .real(let real):
            guard !real.isNaN else { throw UnusableValue(reason: "is not a number") }
            guard real >= 0 else { throw UnusableValue(reason: "\(real) is below zero") }
            guard real < 0x1p63 else { throw UnusableValue(reason: "\(real) is too large to be a count") }
            guard let count = Int(exactly: real) else { throw UnusableValue(reason: "\(real) is not an integer") }
            return count
        }
    }

    var real: Double {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        }
    }
}

/// Error that explains why a value of a legacy library cannot be used.
struct UnusableValue: Error {
    /// Reason why the value cannot be used, as the rest of a sentence.
    let reason: String
    /// `true` if the value could not be read now, but may be intact and readable later.
    let mayBeReadLater: Bool

    init(reason: String, mayBeReadLater: Bool = false) {
        self.reason = reason
        self.mayBeReadLater = mayBeReadLater
    }

    init(expected: String, found: String) { self.init(reason: "must be \(expected), but is \(found)") }
}

extension PreferenceValue {
    var number: ForeignNumber? {
        switch self {
        case .integer(let integer): .integer(integer)
        case .real(let real): .real(real)
        default: nil
        }
    }

    /// Name of the value's type with its article, for messages.
    var typeName: String {
        switch self {
        case .integer, .real: "a number"
        case .boolean: "a boolean"
        case .string: "a string"
        case .data: "data"
        case .date: "a date"
        case .array: "an array"
        case .dictionary: "a dictionary"
        case .unsupported: "a value of an unknown type"
        }
    }
}
