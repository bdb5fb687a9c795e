import Foundation
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

extension Tool {
    /// Start date of the virtual clock of a club's store.
    static let clubStart = "2040-01-15T00:00:00Z"

    /// Returns a tool whose home sells the subscriptions of `Club.storekit` on a virtual clock, with transaction
    /// numbers from 1. All such homes have the same keys and the same device.
    static func club() throws -> Tool { try clubTemplate.tool() }

    private static let clubTemplate = ToolTemplate {
        let tool = try Tool()
        let configuration = Repository.file("Catalogs/Club.storekit")
        try SimulatedStore.create(
            in: tool.home.appending(path: "Store"), configuration: Data(contentsOf: configuration),
            bundleIdentifier: "com.example.club", receiptIdentity: .sample, now: { Date() }, seed: 0)
        try tool.folder.write(
            PlistText.document("<array>\(products.joined(separator: "\n"))</array>"), to: "Club.plist")
        try tool.succeed("init", "--catalog", "Club.plist", "--store", configuration.path())
        try tool.succeed("store", "clock", "virtual", clubStart)
        return tool
    }

    /// Returns a tool like ``club()`` whose catalog has a pass of 30 days alone.
    static func passes() throws -> Tool {
        let tool = try club()
        try tool.writePass(duration: "P30D")
        try tool.succeed("init", "--catalog", "Pass.plist")
        return tool
    }

    /// Writes the catalog with a pass.
    ///
    /// - Parameters:
    ///   - duration: ISO 8601 duration of the pass.
    ///   - more: Further keys of the pass, with their values.
    func writePass(duration: String, _ more: String = "") throws {
        try folder.write(
            PlistText.document(
                """
                <array><dict><key>productIdentifier</key><string>pass</string>
                <key>type</key><string>nonRenewingSubscription</string>
                <key>subscriptionDuration</key><string>\(duration)</string>\(more)</dict></array>
                """), to: "Pass.plist")
    }

    private static let products =
        ["gold", "silver", "argent", "silver.year", "week"].map {
            product("club.\($0)", "autoRenewableSubscription")
        }
        + [
            product("club.bronze", "autoRenewableSubscription", wallet(units: 5)),
            product("map", "nonConsumable"),
            product("coins", "consumable", wallet(units: 1)),
        ]

    private static func wallet(units: Int) -> String {
        "<key>storageKey</key><string>coins</string><key>productValue</key><integer>\(units)</integer>"
    }

    private static func product(_ identifier: String, _ type: String, _ more: String = "") -> String {
        """
        <dict>
            <key>productIdentifier</key><string>\(identifier)</string>
            <key>type</key><string>\(type)</string>
            \(more)
        </dict>
        """
    }

    /// File of the store's state.
    var storeBytes: Data { get throws { try Data(contentsOf: home.appending(path: "Store/store.sqlite")) } }

    /// Runs a command, and expects that it succeeds.
    @discardableResult
    func succeed(_ arguments: String...) throws -> Result {
        let result = try run(arguments)
        #expect(result.status == 0, "\(arguments): \(result.output)\(result.errors)")
        return result
    }

    /// Returns the kinds of the store's events, in order.
    func eventKinds(_ key: String = "events", _ arguments: String...) throws -> [String] {
        let events = try run(["store", "timeline", "--json"] + arguments).json[key] as? [[String: Any]]
        return (events ?? []).compactMap { $0["kind"] as? String }
    }
}
