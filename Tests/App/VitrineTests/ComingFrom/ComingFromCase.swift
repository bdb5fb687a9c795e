import Testing

/// A symbol of another library, and what shows that its row in the table is true.
struct ComingFromCase: Sendable, Identifiable, CustomTestStringConvertible {
    /// The symbol, as the table has it.
    let id: String
    let exercise: @Sendable (ComingFromScene) async throws -> Void

    init(_ symbol: String, _ exercise: @escaping @Sendable (ComingFromScene) async throws -> Void) {
        id = symbol
        self.exercise = exercise
    }

    var testDescription: String { id }
}
