import Testing

/// Symbol of another library, with a test of its row in the migration table.
struct ComingFromCase: Sendable, Identifiable, CustomTestStringConvertible {
    /// Symbol, as written in the table.
    let id: String
    let exercise: @Sendable (ComingFromScene) async throws -> Void

    init(_ symbol: String, _ exercise: @escaping @Sendable (ComingFromScene) async throws -> Void) {
        id = symbol
        self.exercise = exercise
    }

    var testDescription: String { id }
}
