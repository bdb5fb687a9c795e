package import Foundation

/// Random number generator (SplitMix64) with the same sequence for the same seed.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension Data {
    /// Returns random bytes without repetitions, the same for the same seed.
    package static func random(_ count: Int, seed: UInt64 = 8) -> Data {
        var generator = SeededGenerator(seed: seed)
        let integers = (0..<(count + 7) / 8).map { _ in generator.next() }
        return integers.withUnsafeBytes { Data($0.prefix(count)) }
    }
}
