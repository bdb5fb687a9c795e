extension [String] {
    /// The strings without duplicates, each at its first position.
    package var withoutDuplicates: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
