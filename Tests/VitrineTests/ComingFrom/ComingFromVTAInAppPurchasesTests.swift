import Testing

@Suite(.timeLimit(.minutes(45))) struct ComingFromVTAInAppPurchasesTests {
    @Test(arguments: cases) func `what takes a symbol's place does what the table says`(_ row: ComingFromCase)
        async throws
    {
        try await row.exercise(ComingFromScene())
    }

    /// In the order of the library's headers.
    static let cases: [ComingFromCase] = manager + notifications + errors + statuses + products + receipts
}
