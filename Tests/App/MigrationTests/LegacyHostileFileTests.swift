import Foundation
import Testing
import Vitrine
import VitrineTestSupport

@testable import VitrineMigration

/// Files of legacy libraries that ask for too much time or memory, or are broken.
@Suite(.hangLimit) struct LegacyHostileFileTests {
    @Test(arguments: HostileFile.all)
    func `a hostile file of a legacy library is reported, and other purchases are still read`(file: HostileFile) throws
    {
        let app = try LegacyTests()
        for name in ["purchaserecord.plist", "VTAInAppPurchasesCache.plist"] {
            try Data(file.bytes).write(to: app.documents.appending(path: name))
        }
        let unlocked = ["VTAInAppPurchasesInstantUnlockKey": PreferenceValue.array([.string("lisbon")])]

        let record = try app.read(.mkStoreKit)
        #expect(record.owned.isEmpty && record.unreadable.map(\.source) == ["purchaserecord.plist in Documents"])
        let cache = try app.read(.vtaInAppPurchases, preferences: unlocked)
        #expect(cache.owned.map(\.identifier) == ["lisbon"])
    }
}
