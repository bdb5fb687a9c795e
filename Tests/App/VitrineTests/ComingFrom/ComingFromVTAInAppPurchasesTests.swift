import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct ComingFromVTAInAppPurchasesTests {
    @Test(arguments: cases)
    func `the replacement of each symbol of the VTAInAppPurchases library behaves as the migration article states`(
        _ row: ComingFromCase
    )
        async throws
    {
        try await row.exercise(ComingFromScene())
    }

    /// Cases in the order of the library's headers.
    static let cases: [ComingFromCase] = manager + notifications + errors + statuses + products + receipts
}
