extension [String] {
    /// Each string once, where it first stands.
    package var withoutDuplicates: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}
