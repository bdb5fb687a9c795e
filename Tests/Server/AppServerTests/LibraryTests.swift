import Foundation
import Testing
import Vitrine
import VitrineCatalogLoading
import VitrineEntitlements
import VitrineHostedContent
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineAppServer

/// Managers on devices, and the app's own server.
@Suite(.blocksThreads, .hangLimit) struct LibraryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Creates a device of the store's customer.
    private func makeDevice(
        _ name: String, _ server: ServedApps, transport: any HTTPTransport = DefaultTransport.patient
    ) async throws -> CatalogManager {
        let clock = server.clock
        return try await CatalogManager.sample(
            name, in: folder, server.store, at: try #require(URL(string: "http://127.0.0.1:\(server.client.port)")),
            transport: transport
        ) { clock.now }
    }

    // MARK: Wallets

    @Test func `units that a device spends at the server are spent once, and its ledger learns of it`() async throws {
        try await ServedApps.run { server in
            let phone = try await makeDevice("phone", server)
            guard case .success = await phone.purchase("com.example.voyager.coins50") else {
                Issue.record("the units are not bought")
                return
            }
            try await phone.server.report()
            let debit = try await phone.server.spend(30, from: "coins", token: "map")
            #expect((debit.isNew, debit.balance) == (true, 20))
            let again = try await phone.server.spend(30, from: "coins", token: "map")
            #expect((again.isNew, again.balance) == (false, 20))
            let other = await #expect(throws: AppServerError.self) {
                try await phone.server.spend(10, from: "coins", token: "map")
            }
            #expect(other?.code == .conflict)
            let short = await #expect(throws: AppServerError.self) {
                try await phone.server.spend(21, from: "coins", token: "guide")
            }
            #expect(short?.code == .insufficientFunds)
            #expect(short?.reason.contains("the wallet has 20 units") == true)
            #expect(phone.wallets.balance(for: "coins") == .known(50))
            server.clock.advance(by: 1)
            _ = try await phone.server.exchange()
            #expect(phone.wallets.balance(for: "coins") == .known(20))
            await phone.stop()
        }
    }

    @Test func `a device reserves units at the server, reports what it has spent, and returns the rest`() async throws {
        try await ServedApps.run { server in
            let phone = try await makeDevice("phone", server)
            _ = await phone.purchase("com.example.voyager.coins50")
            try await phone.server.report()
            let lease = try await phone.server.reserve(20, of: "coins", token: "trip", seconds: 3_600)
            #expect((lease.wallet, lease.amount, lease.left) == ("coins", 20, 20))
            #expect(lease.expirationDate == server.clock.now + 3_600)
            server.clock.advance(by: 60)
            let debit = ServerLeaseDebit(token: "seat", amount: 5, date: server.clock.now)
            #expect(try await phone.server.report([debit], ofLease: "trip").left == 15)
            #expect(try await phone.server.report([debit], ofLease: "trip", returning: true).left == 15)
            let unknown = await #expect(throws: AppServerError.self) {
                try await phone.server.report([], ofLease: "bus")
            }
            #expect(unknown?.code == .notFound)
            await phone.stop()
        }
    }

    @Test func `a request to spend or to reserve units whose reply was lost is repeated without spending twice`()
        async throws
    {
        try await ServedApps.run { server in
            let transport = LossyTransport()
            let phone = try await makeDevice("phone", server, transport: transport)
            _ = await phone.purchase("com.example.voyager.coins50")
            try await phone.server.report()

            transport.loseReply(to: "/coins/debits")
            let lost = await #expect(throws: AppServerError.self) {
                try await phone.server.spend(10, from: "coins", token: "map")
            }
            #expect(lost?.code == .connection)
            let debit = try await phone.server.spend(10, from: "coins", token: "map")
            #expect((debit.isNew, debit.balance) == (false, 40))

            transport.loseReply(to: "/coins/leases")
            let unknown = await #expect(throws: AppServerError.self) {
                try await phone.server.reserve(20, of: "coins", token: "trip", seconds: 3_600)
            }
            #expect(unknown?.code == .connection)
            server.clock.advance(by: 60)
            let lease = try await phone.server.reserve(20, of: "coins", token: "trip", seconds: 3_600)
            #expect((lease.amount, lease.left) == (20, 20))
            #expect(lease.expirationDate == server.clock.now + 3_540)

            transport.loseReply(to: "/leases/trip")
            let spent = ServerLeaseDebit(token: "seat", amount: 5, date: server.clock.now)
            _ = await #expect(throws: AppServerError.self) { try await phone.server.report([spent], ofLease: "trip") }
            #expect(try await phone.server.report([spent], ofLease: "trip").left == 15)
            await phone.stop()
        }
    }

    // MARK: Changes

    @Test func `a device learns of a purchase on another device from the stream of changes`() async throws {
        try await ServedApps.run { server in
            let (phone, tablet) = (try await makeDevice("phone", server), try await makeDevice("tablet", server))
            try await phone.server.enroll()
            var changes = phone.server.changes(retries: .never).makeAsyncIterator()
            let first = try await changes.next() ?? 0
            _ = await tablet.purchase("com.example.voyager.coins50")
            try await tablet.server.report()
            let next = try await changes.next() ?? 0
            #expect(next > first)
            let key = try await phone.server.publicKey()
            #expect(try await phone.server.customerState().isSigned(by: key))
            for device in [phone, tablet] { await device.stop() }
        }
    }
}
