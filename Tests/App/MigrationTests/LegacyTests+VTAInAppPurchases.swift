import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineTestSupport

@testable import VitrineMigration

extension LegacyTests {
    private static let unlocked = "VTAInAppPurchasesInstantUnlockKey"
    private static let cache = "VTAInAppPurchasesCache.plist"

    private func writeCache(_ products: String, in folder: String = "Documents") throws {
        try self.folder.write(PlistText.document("<array>\(products)</array>"), to: "\(folder)/\(Self.cache)")
    }

    private func product(_ identifier: String, _ keys: String) -> String {
        "<dict><key>productIdentifier</key><string>\(identifier)</string>\(keys)</dict>"
    }

    private func bought(_ identifier: String) -> String { product(identifier, "<key>purchased</key><true/>") }

    @Test func `VTAInAppPurchases: balances are read from the preferences under the names of the wallets`() throws {
        let found = try read(.vtaInAppPurchases, preferences: ["coins": .integer(550), "hints": .integer(0)])

        #expect(found.balances == [.init(wallet: "coins", units: 550, source: "\"coins\" in the preferences")])
        #expect(found.unreadable.isEmpty)
    }

    @Test(
        arguments: [(.string("250"), 250), (.string(" 250\n"), 250), (.real(2.9), 2), (.boolean(true), 1)]
            as [(PreferenceValue, Int)]
    )
    func `VTAInAppPurchases: a balance is converted to an integer as integer(forKey:) of UserDefaults does`(
        value: PreferenceValue, units: Int
    ) throws {
        let found = try read(.vtaInAppPurchases, preferences: ["coins": value])

        #expect(found.balances.map(\.units) == [units])
        #expect(found.unreadable.isEmpty)
    }

    @Test(
        arguments: [
            (.string("many"), "must be a number, but is a string"),
            (.string("5.5"), "must be a number, but is a string"),
            (.string("9223372036854775808"), "must be a number, but is a string"),
            (.array([]), "must be a number, but is an array"),
            (.unsupported, "must be a number, but is a value of an unknown type"),
            (.integer(-1), "-1 is below zero"),
            (.integer(.min), "-9223372036854775808 is below zero"),
            (.string("-1"), "-1 is below zero"),
            (.real(.nan), "is not a number"),
            (.real(.infinity), "inf is too large to be a count"),
            (.real(0x1p63), "9.223372036854776e+18 is too large to be a count"),
        ] as [(PreferenceValue, String)]
    )
    func `VTAInAppPurchases: an invalid balance is reported`(value: PreferenceValue, reason: String) throws {
        let found = try read(.vtaInAppPurchases, preferences: ["coins": value, "hints": .real(3)])

        #expect(found.balances.map(\.wallet) == ["hints"])
        #expect(found.unreadable == [.init(source: "\"coins\" in the preferences", reason: reason)])
    }

    @Test
    func `VTAInAppPurchases: a product that is unlocked and marked as purchased in the cached catalog is listed once`()
        throws
    {
        try writeCache(
            bought("lisbon") + product("porto", "<key>purchased</key><false/>") + product("athens", "")
                + bought("rome"))

        let found = try read(
            .vtaInAppPurchases, preferences: [Self.unlocked: .array([.string("porto"), .string("lisbon")])])

        #expect(
            found.owned == [
                .init(identifier: "porto", source: "VTAInAppPurchasesInstantUnlockKey in the preferences"),
                .init(identifier: "lisbon", source: "VTAInAppPurchasesInstantUnlockKey in the preferences"),
                .init(identifier: "rome", source: "VTAInAppPurchasesCache.plist in Documents"),
            ])
        #expect(found.unreadable.isEmpty)
    }

    @Test func `VTAInAppPurchases: the cached catalog is read from Documents, or else from Caches`() throws {
        try writeCache(bought("porto"), in: "Caches")
        #expect(
            try read(.vtaInAppPurchases).owned == [
                .init(identifier: "porto", source: "VTAInAppPurchasesCache.plist in Caches")
            ])

        try writeCache(bought("lisbon"))
        #expect(try read(.vtaInAppPurchases).owned.map(\.identifier) == ["lisbon"])

        try folder.write("<plist><array>", to: "Documents/\(Self.cache)")
        let found = try read(.vtaInAppPurchases)
        #expect(found.owned.map(\.identifier) == ["porto"])
        #expect(found.unreadable.map(\.source) == ["VTAInAppPurchasesCache.plist in Documents"])
    }

    @Test func `VTAInAppPurchases: ones and zeros that 32-bit devices have written are read as booleans`() throws {
        try writeCache(
            product("lisbon", "<key>purchased</key><integer>1</integer>")
                + product("porto", "<key>purchased</key><integer>0</integer>"))

        let found = try read(.vtaInAppPurchases)

        #expect(found.owned.map(\.identifier) == ["lisbon"])
        #expect(found.unreadable.isEmpty)
    }

    @Test func `VTAInAppPurchases: a consumable that is marked as purchased is not owned`() throws {
        try writeCache(product("coins50", "<key>consumable</key><true/><key>purchased</key><true/>"))

        #expect(try read(.vtaInAppPurchases) == LegacyState())
    }

    @Test(
        arguments: [
            ("<string>lisbon</string>", "product 1 must be a dictionary, but is a string"),
            (
                "<dict><key>purchased</key><string>YES</string></dict>",
                "product 1 contains a string where a boolean is required"
            ),
            (
                "<dict><key>purchased</key><integer>2</integer></dict>",
                "product 1 contains an integer where a boolean is required"
            ),
            ("<dict><key>purchased</key><true/></dict>", "product 1 was purchased, but has no productIdentifier"),
            (
                "<dict><key>productIdentifier</key><integer>7</integer><key>purchased</key><true/></dict>",
                "product 1 was purchased, but has no productIdentifier"
            ),
            (
                "<dict><key>productIdentifier</key><string>coins50</string><key>purchased</key><true/></dict>",
                "\"coins50\" is listed as owned, but is a consumable in the catalog"
            ),
        ]
    )
    func `VTAInAppPurchases: an invalid product in the cached catalog is reported`(product: String, reason: String)
        throws
    {
        try writeCache(product + bought("lisbon"))

        let found = try read(.vtaInAppPurchases)

        #expect(found.owned.map(\.identifier) == ["lisbon"])
        #expect(found.unreadable == [.init(source: "VTAInAppPurchasesCache.plist in Documents", reason: reason)])
    }

    @Test func `VTAInAppPurchases: a cached catalog that is not an array is reported`() throws {
        try folder.write(PlistText.document("<dict/>"), to: "Documents/\(Self.cache)")

        #expect(
            try read(.vtaInAppPurchases).unreadable.map(\.reason) == ["must be an array, but is a dictionary"])
    }

    @Test(
        arguments: [
            (.string("lisbon"), "must be an array, but is a string"),
            (.array([.integer(7)]), "item 1 must be an identifier, but is a number"),
            (.array([.string("lisbon"), .string("")]), "item 2 must be an identifier, but is empty"),
            (.array([.string("coins50")]), "\"coins50\" is listed as owned, but is a consumable in the catalog"),
        ] as [(PreferenceValue, String)]
    )
    func `VTAInAppPurchases: an invalid list of unlocked products is reported`(
        value: PreferenceValue, reason: String
    ) throws {
        let found = try read(.vtaInAppPurchases, preferences: [Self.unlocked: value])

        #expect(
            found.unreadable == [
                .init(source: "VTAInAppPurchasesInstantUnlockKey in the preferences", reason: reason)
            ])
    }

    @Test
    func `VTAInAppPurchases: the purchase list of older versions is ignored if a newer version cached a catalog`()
        throws
    {
        let old: [String: PreferenceValue] = [
            "purchases.plist": .dictionary(["lisbon": .dictionary([:]), "porto": .dictionary([:])])
        ]
        try writeCache(product("athens", ""), in: "Caches")
        #expect(
            try read(.vtaInAppPurchases, preferences: old).owned == [
                .init(identifier: "lisbon", source: "purchases.plist in the preferences"),
                .init(identifier: "porto", source: "purchases.plist in the preferences"),
            ])

        try writeCache(product("lisbon", "<key>purchased</key><false/>") + bought("porto"))
        #expect(try read(.vtaInAppPurchases, preferences: old).owned.map(\.identifier) == ["porto"])
    }

    // MARK: Content

    private var guides: URL { documents.appending(path: "guides") }

    private func makeFolder(_ url: URL) throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    @Test func `VTAInAppPurchases: the content of owned products is found in Documents`() throws {
        try writeCache(bought("rome"))
        #expect(try read(.vtaInAppPurchases).content.isEmpty)

        try makeFolder(guides.appending(path: "rome"))
        try makeFolder(guides.appending(path: "athens"))
        let content = try read(.vtaInAppPurchases).content
        #expect(content.map(\.productIdentifier) == ["rome"])
        #expect(content.map { $0.folder.path() } == [guides.path() + "/rome/"])
    }

    @Test(arguments: ["guides", "guides/rome"])
    func `VTAInAppPurchases: content behind a symbolic link is reported and not imported`(link: String) throws {
        try writeCache(bought("rome"))
        try makeFolder(folder["Elsewhere/rome"])
        let place = documents.appending(path: link)
        try makeFolder(place.deletingLastPathComponent())
        try FileManager.default.createSymbolicLink(
            at: place, withDestinationURL: folder[link == "guides" ? "Elsewhere" : "Elsewhere/rome"])

        let found = try read(.vtaInAppPurchases)

        #expect(found.content.isEmpty)
        #expect(
            found.unreadable == [
                .init(
                    source: "\"guides/rome\" in Documents",
                    reason: "\"\(place.lastPathComponent)\" is a symbolic link")
            ])
    }

    @Test func `VTAInAppPurchases: a file in place of a content folder is reported`() throws {
        try writeCache(bought("rome"))
        try folder.write("", to: "Documents/guides/rome")

        let found = try read(.vtaInAppPurchases)

        #expect(found.content.isEmpty)
        #expect(found.unreadable.map(\.reason) == ["\"rome\" is not a folder"])
    }
}
