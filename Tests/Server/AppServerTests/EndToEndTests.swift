import Foundation
import HTTPTypes
import Testing
import VitrineAppServerAPI
import VitrineNetworking
import VitrineTestSupport

/// Purchases from the store over notifications and the app's server to two devices of one customer and one device of
/// another. All parts run as processes.
@Suite(.blocksThreads, .hangLimit) struct EndToEndTests {
    enum Database: String, CaseIterable, CustomTestStringConvertible {
        case sqlite, postgreSQL

        var testDescription: String { rawValue }

        /// Databases that this build supports and this machine has.
        static var present: [Database] {
            #if PostgreSQL
                PostgreSQLServer.isInstalled ? allCases : [.sqlite]
            #else
                [.sqlite]
            #endif
        }

        func scene() throws -> EndToEndScene {
            switch self {
            case .sqlite: try EndToEndScene()
            case .postgreSQL: try EndToEndScene(database: try PostgreSQLServer.shared().makeDatabase())
            }
        }
    }

    @Test(arguments: Database.present)
    func `a purchase on one device is owned on another device, and a refund removes it from all devices`(
        _ database: Database
    ) async throws {
        let scene = try database.scene()
        let watch = try await scene.enroll("watch")
        try scene.buy("lisbon", ".vitrine")
        try scene.buy("coins50", "tablet")
        // The server knows of both from the store, before a device has reported anything.
        let received = try await watch.wait { $0.owns("lisbon") && $0.wallets["coins"] == 50 }
        #expect(received.owns("lisbon"))
        #expect(received.wallets["coins"] == 50)

        try scene.syncAll()
        for home in EndToEndScene.homes {
            #expect(try scene.owns("lisbon", home), "\(home)")
            #expect(try scene.coins(home) == 50, "\(home)")
        }
        #expect(try scene.sync(EndToEndScene.other).status == 0)
        #expect(try !scene.owns("lisbon", EndToEndScene.other))
        #expect(try scene.coins(EndToEndScene.other) == 0)

        try scene.succeed(["spend", "coins", "20", "--token", "map", "--home", ".vitrine"])
        try scene.syncAll()
        #expect(try scene.coins("tablet") == 30)
        try scene.refund("lisbon")
        try scene.refund("coins50")
        let refunded = try await watch.wait { !$0.owns("lisbon") && $0.wallets["coins"] == 0 }
        #expect(!refunded.owns("lisbon"))
        #expect(refunded.wallets["coins"] == 0)
        try scene.syncAll()
        for home in EndToEndScene.homes {
            #expect(try !scene.owns("lisbon", home), "\(home)")
            #expect(try scene.coins(home) == 0, "\(home)")
            #expect(try scene.run(["check", "--home", home]).status == 0, "\(home)")
        }
    }

    @Test(arguments: Database.present)
    func `concurrent spending on two devices never exceeds the credited units`(_ database: Database) async throws {
        let scene = try database.scene()
        let watch = try await scene.enroll("watch")
        try scene.buy("coins50", ".vitrine")
        try scene.syncAll()
        // Both want more than half: one of them gets it.
        let leases = try EndToEndScene.homes.map { home in
            try scene.start([
                "devices", "lease", "coins", "30", "--token", "trip of \(home)", "--until", Self.nextYear, "--home",
                home,
            ])
        }
        let statuses = try leases.map { try $0.answer().status }
        #expect(statuses.filter { $0 == 0 }.count <= 1, "\(statuses)")
        // One that found the other deciding tries again.
        let again = try EndToEndScene.homes.map { home in
            try scene.run([
                "devices", "lease", "coins", "30", "--token", "trip of \(home)", "--until", Self.nextYear, "--home",
                home,
            ]).status
        }
        #expect(again.sorted() == [0, 1])
        let (rich, poor) = again[0] == 0 ? (".vitrine", "tablet") : ("tablet", ".vitrine")
        #expect(try scene.sync(poor).status == 0)
        #expect(try scene.run(["spend", "coins", "21", "--token", "a", "--home", poor]).status == 1)
        try scene.succeed(["spend", "coins", "25", "--token", "b", "--leased", "--home", rich])
        try scene.syncAll()

        // The server gives what is left to forty requests at once.
        let free = try #require(try await watch.customerState().wallets["coins"]) - 5
        #expect(free == 20)
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await watch.send(
                        .post, "wallets/coins/debits", "{\"token\":\"debit \(number)\",\"amount\":2}"
                    ).response.status.code
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(answers.filter { $0 == 201 }.count <= 10)
        #expect(answers.allSatisfy { [201, 409, 429].contains($0) }, "\(answers)")
        let left = try #require(try await watch.customerState().wallets["coins"])
        #expect(left == 25 - 2 * answers.filter { $0 == 201 }.count)
        #expect(left >= 5)
        try scene.syncAll()
        for home in EndToEndScene.homes { #expect(try scene.coins(home) == left, "\(home)") }
    }

    private static var nextYear: String {
        Date(timeIntervalSinceNow: 300 * 86_400).formatted(.iso8601.year().month().day())
    }

    @Test(arguments: Database.present)
    func `devices work without the server for a month, and agree on purchases and balance after reconnecting`(
        _ database: Database
    ) async throws {
        let scene = try database.scene()
        try scene.succeed(["store", "clock", "virtual"])
        try scene.buy("coins50", ".vitrine")
        try scene.syncAll()
        try scene.stopServer()

        try scene.buy("lisbon", ".vitrine")
        try scene.succeed(["spend", "coins", "40", "--token", "a", "--home", ".vitrine"])
        try scene.succeed(["store", "advance", "P1M", "--deliveries-within", "0"])
        let refused = try scene.sync(".vitrine")
        #expect(refused.status == 74)
        #expect(refused.errors.contains("the app's server does not answer"))
        #expect(try scene.owns("lisbon", ".vitrine"))
        #expect(try scene.coins(".vitrine") == 10)
        try scene.buy("coins50", ".vitrine")
        try scene.succeed(["spend", "coins", "30", "--token", "b", "--home", "tablet"])
        #expect(try scene.coins(".vitrine") == 60)
        #expect(try scene.coins("tablet") == 20)

        try scene.startServer()
        try scene.syncAll()
        for home in EndToEndScene.homes {
            #expect(try scene.owns("lisbon", home), "\(home)")
            // 100 were bought, and 70 spent, of which 20 when the tablet could not know.
            #expect([30, 50].contains(try scene.coins(home)), "\(home)")
            #expect(try scene.run(["check", "--home", home]).status == 0, "\(home)")
        }
        #expect(try scene.coins("tablet") == scene.coins(".vitrine"))
        let watch = try await scene.enroll("watch")
        let customerState = try await watch.customerState()
        #expect(customerState.owns("lisbon"))
        #expect(customerState.wallets["coins"] == (try scene.coins("tablet")))
    }
}
