internal import VitrineSupport

/// Secret in the URL of a preview. It protects the preview against other users of the machine and pages of other sites,
/// which cannot guess it.
package struct AccessToken: Sendable {
    /// Token as 32 hexadecimal digits, as it appears in the URL.
    package let text: String

    /// Creates a random token of 128 bits.
    package init() {
        var generator = SystemRandomNumberGenerator()
        let halves = [generator.next() as UInt64, generator.next()]
        text = halves.map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Compares a text with the token in constant time.
    func isEqual(to other: String) -> Bool { text.utf8.isEqualInConstantTime(to: other.utf8) }
}
