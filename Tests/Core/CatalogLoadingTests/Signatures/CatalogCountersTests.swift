import Testing
import VitrineCatalogLoading

/// Stored counters of signed catalogs.
@Suite struct CatalogCountersTests {
    @Test func `counters keep the date of issue of the highest version only, in each epoch, app and channel`() {
        let needed: [String: Int64] = [
            "keys-version/0123456789ABCDEF/com.example.voyager/production": 3,
            "keys-issued/com.example.voyager/production": 1_000,
            "catalog-epoch/com.example.voyager/production": 2,
            "catalog-version/1/com.example.voyager/production": 12,
            "catalog-issued/1/com.example.voyager/production": 1_012,
            "catalog-issued/1/12/com.example.voyager/production": 1_012,
            "catalog-issued/2/7/com.example.voyager/production": 1_020,
            "catalog-issued/1/9/com.example.voyager/beta": 1_009,
            "catalog-issued/1/8/com.example.other/production": 1_008,
        ]
        let others: [String: Int64] = [
            "catalog-issued/1/9/com.example.voyager/production": 1_009,
            "catalog-issued/1/11/com.example.voyager/production": 1_011,
            "catalog-issued/2/6/com.example.voyager/production": 1_019,
        ]

        #expect(needed.merging(others) { $1 }.withoutLowerVersions == needed)
        #expect(needed.withoutLowerVersions == needed)
    }
}
