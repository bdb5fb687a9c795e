extension Array {
    /// All orders of the elements.
    package var permutations: [[Element]] {
        guard count > 1 else { return [self] }
        return indices.flatMap { index in
            var others = self
            let first = others.remove(at: index)
            return others.permutations.map { [first] + $0 }
        }
    }
}
