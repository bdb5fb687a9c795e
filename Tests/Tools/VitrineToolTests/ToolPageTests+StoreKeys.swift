import Foundation
import Testing
import VitrineTestSupport

extension ToolPageTests {
    /// Runs the commands that control the store's decisions about purchases.
    func decisions(_ comparison: Comparison) throws {
        try comparison.check("store refund", "store", "refund", "2")
        try comparison.check("why", "why", .voyager("madrid"))
        try comparison.check("store reverse-refund", "store", "reverse-refund", "2")
        try comparison.check("store set ask-to-buy", "store", "set", "ask-to-buy", "on")
        for product in ["vienna", "coins500"] { try comparison.check("buy", "buy", .voyager(product)) }
        try comparison.check("listing", "listing")
        try comparison.check("store approve", "store", "approve", .voyager("vienna"))
        try comparison.check("store decline", "store", "decline", .voyager("coins500"))
        try comparison.prepare("store", "set", "ask-to-buy", "off")
        let shared = try comparison.check("store share", "store", "share", .voyager("athens"))["transaction"]
        try comparison.check("owned ID", "owned", .voyager("athens"))
        try comparison.check("store transactions", "store", "transactions")
        try comparison.check("store revoke-family", "store", "revoke-family", #require(shared as? String))
        try comparison.check("store promote", "store", "promote", .voyager("athens"))
        try comparison.check("store set storefront", "store", "set", "storefront", "DEU")
        try comparison.check("store set offline", "store", "set", "offline", "off")
        try comparison.check("store set restriction", "store", "set", "restriction", "a parent forbids it")
        try comparison.check("store set restriction", "store", "set", "restriction", "none")
        try comparison.check("store fail", "store", "fail", "network", "--times", "1")
        try comparison.check("store fail", "store", "fail", "--clear")
    }

    /// Runs the commands for subscriptions, and for the clock of the store.
    ///
    /// - Returns: The comparison.
    func subscriptions() throws -> Comparison {
        let comparison = try Comparison(Tool.club())
        try comparison.check("store clock", "store", "clock")
        try comparison.check("listing", "listing")
        try comparison.check("buy", "buy", "club.gold")
        try comparison.check("subscriptions", "subscriptions")
        try comparison.check("why", "why", "club.gold")
        try comparison.check("store set renewal", "store", "set", "renewal", "off", "club.gold")
        try comparison.prepare("store", "set", "renewal", "on", "club.gold")
        try comparison.check("store set grace", "store", "set", "grace", "on")
        try comparison.check("store price", "store", "price", "club.gold", "12.99", "--consent", "required")
        try comparison.check("store consent", "store", "consent", "yes", "club.gold")
        try comparison.check("store set billing", "store", "set", "billing", "fail", "club.gold")
        try comparison.check("store advance", "store", "advance", "8d")
        try comparison.check("store set billing", "store", "set", "billing", "recover", "club.gold")
        try comparison.check("buy", "buy", "club.silver")
        try comparison.check("store timeline", "store", "timeline")
        try comparison.check("store refund", "store", "refund", "2", "--prorated")
        try comparison.check("store redeem", "store", "redeem", "summer", "club.silver")
        try comparison.check("store set interrupt", "store", "set", "interrupt", "on")
        try comparison.check("buy", "buy", "map")
        let transactions = try comparison.check("store transactions", "store", "transactions")["transactions"]
        let pending = try #require((transactions as? [[String: Any]])?.last { $0["pending"] as? Bool == true })
        try comparison.check("store resolve", "store", "resolve", #require(pending["id"] as? String))
        try comparison.check("store rate", "store", "rate")
        try comparison.check("store rate", "store", "rate", "one-renewal-every-minute")
        try comparison.check("store withdraw", "store", "withdraw", "map")
        try comparison.check("store family join", "store", "family", "join", "Miller")
        try comparison.check("store customers", "store", "customers")
        try comparison.check("store family leave", "store", "family", "leave")
        try server(comparison)
        try comparison.check(
            "init", "init", "--home", "tablet", "--catalog", "Club.plist", "--join", ".vitrine/Store", "--customer",
            "default", "--device", "tablet")
        try comparison.check("store account", "store", "account", "anna")
        return comparison
    }

    /// Runs the commands for the app's server.
    private func server(_ comparison: Comparison) throws {
        try comparison.check("store key", "store", "key")
        try comparison.check("store webhook", "store", "webhook", "http://127.0.0.1:9/")
        try comparison.check("store environment", "store", "environment", "production", "--app-id", "7")
        try comparison.check("store notify", "store", "notify", "test")
        try comparison.check("store request-refund", "store", "request-refund", "1")
        try comparison.check("store decline-refund", "store", "decline-refund", "1")
        try comparison.checkRunning("store serve", "store", "serve")
        try comparison.checkRunning("preview", "preview", "Club.plist")
        try comparison.check("preview", "preview", "Club.plist", "--export", "Scenes")
        try comparison.prepare("store", "advance", "1m")
        try comparison.check("store notifications", "store", "notifications")
        try comparison.prepare("export", "-o", "ledger.json")
        try comparison.prepare(
            "init", "--home", "case", "--catalog", "Club.plist", "--store",
            Repository.file("Catalogs/Club.storekit").path(percentEncoded: false))
        try comparison.check("store replay", "store", "replay", "--home", "case", "ledger.json")
    }
}
