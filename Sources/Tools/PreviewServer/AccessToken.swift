/// Secret that the address of a preview contains. Pages of other sites and other users of the machine do not know it.
package struct AccessToken: Sendable {
    /// Token as it is written in an address: 32 hexadecimal digits.
    package let text: String

    /// Creates a token with 128 random bits.
    package init() {
        var generator = SystemRandomNumberGenerator()
        let halves = [generator.next() as UInt64, generator.next()]
        text = halves.map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Compares a text with the token in a time that does not depend on where they differ.
    func isEqual(to other: String) -> Bool {
        let (own, others) = (Array(text.utf8), Array(other.utf8))
        guard own.count == others.count else { return false }
        return zip(own, others).reduce(0) { $0 | $1.0 ^ $1.1 } == 0
    }
}
