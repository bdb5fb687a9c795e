import Foundation
import Vitrine
import VitrineShopContent
import VitrineTestSupport

@testable import VitrineShopPreview

/// Shop with a product of each kind in the simulated store, and a customer who does what a test says.
struct SampleShop {
    let folder: TemporaryFolder
    let shop: PreviewShop

    /// Start date of the shop's clock.
    private static let start = Date(timeIntervalSince1970: 1_894_665_600)  // 2030-01-15

    private static let catalog = PlistText.document(
        """
        <array>
        <dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
            <key>storageKey</key><string>coins</string><key>productValue</key><integer>50</integer></dict>
        <dict><key>productIdentifier</key><string>map</string><key>consumable</key><false/></dict>
        <dict><key>productIdentifier</key><string>pass</string>
            <key>type</key><string>nonRenewingSubscription</string>
            <key>subscriptionDuration</key><string>P1M</string></dict>
        <dict><key>productIdentifier</key><string>ghost</string><key>consumable</key><false/></dict>
        \(plan("club.gold"))\(plan("club.silver"))\(plan("club.silver.year"))\(plan("club.bronze"))
        </array>
        """)

    private static func plan(_ identifier: String) -> String {
        "<dict><key>productIdentifier</key><string>\(identifier)</string>"
            + "<key>type</key><string>autoRenewableSubscription</string></dict>"
    }

    /// Opens the shop over the sample store of the club.
    ///
    /// - Parameters:
    ///   - hasGracePeriod: `true` if subscriptions continue while the store cannot charge for them.
    ///   - edit: Change of the sample's StoreKit configuration.
    static func open(
        hasGracePeriod: Bool = false, edit: (String) -> String = { $0 }
    ) async throws -> SampleShop {
        let folder = try TemporaryFolder()
        try folder.write(catalog, to: "Shop.plist")
        let store = try String(contentsOf: Repository.sample("Club.storekit"), encoding: .utf8)
        let setting = #""_billingGracePeriodEnabled": \#(hasGracePeriod), "_storefront""#
        try folder.write(edit(store).replacing(#""_storefront""#, with: setting), to: "Shop.storekit")
        return SampleShop(
            folder: folder,
            shop: try await PreviewShop(
                catalog: folder["Shop.plist"], storeFile: folder["Shop.storekit"], folder: folder["Preview"],
                clockStart: start, seed: 7))
    }

    /// Performs actions. A refund without a number is that of the latest transaction.
    func perform(_ actions: [PreviewAction]) async throws {
        for action in actions {
            if case .refund("") = action {
                let latest = await shop.page(PreviewView(), products: 0..<0).transactions.first
                try await shop.perform(.refund(transaction: latest?.identifier ?? ""))
            } else {
                try await shop.perform(action)
            }
        }
    }

    /// Returns the content of the shop as an app shows it.
    func display(languages: [String] = ["en-US"]) async -> ShopDisplay {
        await ShopDisplay(
            of: shop.session.manager, phrases: ShopPhrases(languages: languages, timeZone: .gmt))
    }
}
