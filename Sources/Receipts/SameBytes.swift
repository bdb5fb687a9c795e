extension String {
    /// It is the same to the byte: Swift takes two spellings of a letter for one, and the store does not.
    func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
