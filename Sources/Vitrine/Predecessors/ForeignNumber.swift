/// A number as another library has written it.
enum ForeignNumber: Sendable, Hashable {
    case integer(Int)
    /// Also one that does not fit in 64 bits.
    case real(Double)

    /// What is counted with it: whole, and not below zero. Objective-C's numbers do not say whether they were meant whole:
    /// MKStoreKit counts in `double`.
    ///
    /// - Throws: ``UnusableValue`` that says what is wrong with it.
    func count() throws(UnusableValue) -> Int {
        switch self {
        case .integer(let integer):
            guard integer >= 0 else { throw UnusableValue(reason: "\(integer) is below zero") }
            return integer
        case .real(let real):
            guard !real.isNaN else { throw UnusableValue(reason: "is not a number") }
            guard real >= 0 else { throw UnusableValue(reason: "\(real) is below zero") }
            guard real < 0x1p63 else { throw UnusableValue(reason: "\(real) is too large to be a count") }
            guard let count = Int(exactly: real) else { throw UnusableValue(reason: "\(real) is no whole number") }
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

/// Why a value that another library has left cannot be used.
struct UnusableValue: Error {
    /// What is wrong with it, as the rest of a sentence.
    let reason: String
    /// Nothing is wrong with it, as far as is known: it could not be read just now.
    let mayBeReadLater: Bool

    init(reason: String, mayBeReadLater: Bool = false) {
        self.reason = reason
        self.mayBeReadLater = mayBeReadLater
    }

    init(expected: String, found: String) { self.init(reason: "must be \(expected), and is \(found)") }
}
