extension String {
    /// Returns `true` if both strings have the same UTF-8 bytes. Swift's `==` treats two encodings of a letter as
    /// equal, and the store does not.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
