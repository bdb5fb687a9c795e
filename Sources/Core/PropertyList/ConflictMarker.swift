/// Search for the lines that Git leaves in a file whose changes could not be merged.
package enum ConflictMarker {
    /// Description of the error, as the rest of a sentence.
    package static let reason =
        "the file has conflict markers of a merge (<<<<<<<, =======, >>>>>>>): resolve the conflict"

    /// Returns the offset of the first line that begins or ends a conflict: with seven `<` or `>`, and a space, as in
    /// `<<<<<<< HEAD`.
    ///
    /// - Returns: `nil` if there is no such line.
    package static func offset(in bytes: [UInt8]) -> Int? {
        var start = 0
        while start < bytes.count {
            let line = bytes[start...]
            if line.starts(with: "<<<<<<< ".utf8) || line.starts(with: ">>>>>>> ".utf8) { return start }
            guard let end = line.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            start = end + 1
        }
        return nil
    }
}
