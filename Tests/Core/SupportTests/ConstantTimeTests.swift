import Testing
import VitrineSupport

/// Comparison of secrets.
struct ConstantTimeTests {
    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    @Test func `a secret is equal to its own bytes only`() {
        #expect(Self.secret.isEqualInConstantTime(to: Self.secret))
        #expect(!Self.secret.isEqualInConstantTime(to: Self.secret.dropLast()))
        #expect(!Self.secret.isEqualInConstantTime(to: Self.secret + [0]))
        #expect(!Self.secret.isEqualInConstantTime(to: []))
        #expect([UInt8]().isEqualInConstantTime(to: []))
    }

    @Test func `a difference in any bit of any byte makes a secret unequal`() {
        for index in Self.secret.indices {
            for bit in 0..<8 {
                var other = Self.secret
                other[index] ^= 1 << bit
                #expect(!Self.secret.isEqualInConstantTime(to: other), "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test func `bytes that collect or clear bits of a secret's last bytes do not make them equal`() {
        for last in UInt8.min...UInt8.max {
            let given = [UInt8](repeating: 0x20, count: 31) + [last]
            #expect(!Self.secret.isEqualInConstantTime(to: given), "\(last)")
        }
    }
}
