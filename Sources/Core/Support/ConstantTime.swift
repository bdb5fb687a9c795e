extension Collection<UInt8> {
    /// Compares a secret with a given value. The duration depends only on the number of bytes, so that it does not
    /// reveal how much of the given value is correct.
    ///
    /// This is the only comparison of secrets in the package, except for those of the cryptography library.
    package func isEqualInConstantTime(to other: some Collection<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var differences: UInt8 = 0
        for (own, given) in zip(self, other) { differences |= own ^ given }
        return differences == 0
    }
}
