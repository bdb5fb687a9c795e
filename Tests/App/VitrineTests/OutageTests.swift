import Foundation
import Testing
import Vitrine
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Purchases with the simulated store and a real ledger while the app's server fails.
@Suite(.blocksThreads, .hangLimit) struct OutageTests {
    let voyager: VoyagerStore
    let folder: TemporaryFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    /// Launches the app, which verifies its purchases with a server.
    ///
    /// - Parameter receipts: `true` if the server verifies the app receipt and not transactions.
    private func launch(
        _ home: String = "home", asking url: URL, timeout: TimeInterval = 60, schedule: RetrySchedule = .never,
        receipts: Bool = false
    ) async throws -> CatalogManager {
        let clock = voyager.clock
        let server = ServerVerifier(
            url: url, bundleIdentifier: VoyagerStore.bundleIdentifier, transport: DefaultTransport.patient,
            timeout: timeout)
        var options = ManagerOptions(schedule: schedule, now: { clock.now })
        if receipts {
            let verifier = AppReceiptVerifier(
                roots: try TrustedRoots(pem: voyager.store.receiptRootCertificate),
                bundleIdentifier: VoyagerStore.bundleIdentifier, environment: .sandbox,
                deviceIdentifier: voyager.store.deviceIdentifier)
            options.purchases.receipts = ReceiptOptions(verifier: verifier.confirmed(by: server), refresh: .whenMissing)
        } else {
            options.purchases.hooks = AppHooks(server: server)
        }
        // A new device would learn of the purchases from the store's list too.
        let store: any Store = receipts ? voyager.unlisted : voyager.store.launched
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: store, verifier: voyager.verifier(),
            home: Home(url: folder[home]), content: PackageFolder(url: Repository.samplePackages), options: options)
        await manager.loadProducts()
        return manager
    }

    func buy(_ name: String, with manager: CatalogManager) async -> String {
        switch await manager.purchase(.voyager(name)) {
        case .success: "bought"
        case .pending(.verification): "pending"
        case .pending: "pending for another reason"
        case .cancelled: "cancelled"
        case .failed(let failure): "\(failure.code): \(failure.reason)"
        }
    }

    var unfinished: Int {
        get async throws { try await voyager.store.unfinishedTransactions().count }
    }

    /// Expects that the customer owns the purchases from before the outage, and none from during the outage.
    func expectOnlyWhatWasOwned(_ manager: CatalogManager) async throws {
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        #expect(manager.wallets.balance(for: "coins") == .known(50))
        #expect(!manager.ownership(of: .voyager("porto")).isOwned)
        #expect(try await manager.ledger.history().count { $0.fact.kind == .purchase } == 2)
    }

    /// Expects that every purchase was delivered exactly once.
    func expectEverythingOnce(_ manager: CatalogManager) async throws {
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        #expect(manager.ownership(of: .voyager("porto")).isOwned)
        #expect(manager.wallets.balance(for: "coins") == .known(550))
        let history = try await manager.ledger.history()
        #expect(history.count { $0.fact.kind == .purchase } == 4)
        #expect(history.count { $0.fact.kind == .credit } == 2)
        #expect(try await unfinished == 0)
        #expect(await manager.purchases.pending().isEmpty)
        #expect(try await manager.ledger.check().isGood)
    }

    enum Outage: String, CaseIterable {
        case noConnection, noAnswerInTime, serverError, overloaded, brokenReply, redirect, unreadable, undetermined

        /// Answer of the server during the outage; `nil` if the server accepts no connections.
        var answer: LoopbackServer.Answer? {
            switch self {
            case .noConnection: nil
            case .noAnswerInTime: .silence
            case .serverError: .reply(500)
            case .overloaded: .reply(429)
            case .brokenReply: .broken(after: 5, of: 22)
            case .redirect: .reply(302, headers: ["Location": "https://example.com/"])
            case .unreadable: .json("<html>Welcome to the hotel</html>")
            case .undetermined: .json(#"{"verdict": "undetermined", "reason": "maintenance"}"#)
            }
        }
    }

    @Test(arguments: Outage.allCases)
    func `an outage of the app's server finishes and loses no purchase, and each is delivered once afterwards`(
        outage: Outage
    ) async throws {
        let good = try await LoopbackServer(.verified)
        let before = try await launch(asking: good.url)
        #expect(await buy("lisbon", with: before) == "bought")
        #expect(await buy("coins50", with: before) == "bought")
        await before.stop()

        let (dead, bad) = (try DeadAddress(), try await LoopbackServer(outage.answer ?? .silence))
        let address = outage.answer == nil ? dead.url : bad.url
        let timeout: TimeInterval = outage == .noAnswerInTime ? 0 : 60
        let during = try await launch(asking: address, timeout: timeout)
        #expect(await buy("porto", with: during) == "pending")
        #expect(await buy("coins500", with: during) == "pending")
        await during.purchases.deliverUnfinished()
        try await expectOnlyWhatWasOwned(during)
        #expect(try await unfinished == 2)
        await during.stop()

        let relaunched = try await launch(asking: address, timeout: timeout)
        try await expectOnlyWhatWasOwned(relaunched)
        #expect(try await unfinished == 2)
        #expect(await relaunched.purchases.pending().count == 2)
        await relaunched.stop()

        let after = try await launch(asking: good.url)
        try await expectEverythingOnce(after)
        await after.purchases.deliverUnfinished()
        await after.stop()
        try await expectEverythingOnce(try await launch(asking: good.url))
    }

    @Test
    func `purchases that wait for the app's server are verified again automatically, and delivered once it answers`()
        async throws
    {
        let answers = Recorder<LoopbackServer.Answer>()
        answers.record(.verified)
        let server = try await LoopbackServer { _ in answers.values.last ?? .silence }
        let sleep = ManualSleep()
        let manager = try await launch(
            asking: server.url, schedule: RetrySchedule(random: { 0 }, sleep: { try await sleep.sleep($0) }))
        #expect(await buy("lisbon", with: manager) == "bought")
        #expect(await buy("coins50", with: manager) == "bought")

        answers.record(.reply(503))
        let events = manager.events()
        #expect(await buy("porto", with: manager) == "pending")
        #expect(await buy("coins500", with: manager) == "pending")
        #expect(await sleep.begun() == .seconds(15))
        sleep.wake()
        #expect(await sleep.begun() == .seconds(30))
        try await expectOnlyWhatWasOwned(manager)

        answers.record(.verified)
        sleep.wake()
        // A purchase is reported as complete after it has left the list of those that wait.
        var completed = 0
        for await event in events {
            if event.word == "completed" { completed += 1 }
            if completed == 2 { break }
        }
        try await expectEverythingOnce(manager)
    }

    @Test func `a purchase that the app's server rejects is reported, not delivered and not finished`() async throws {
        let server = try await LoopbackServer(
            .verified, .verified, .json(#"{"verdict": "rejected", "reason": "another account's"}"#))
        let manager = try await launch(asking: server.url)
        #expect(await buy("lisbon", with: manager) == "bought")
        #expect(await buy("coins50", with: manager) == "bought")
        #expect(await buy("porto", with: manager) == "rejected: another account's")
        try await expectOnlyWhatWasOwned(manager)
        #expect(try await unfinished == 1)
        await manager.stop()

        let relaunched = try await launch(asking: server.url)
        try await expectOnlyWhatWasOwned(relaunched)
        let pending = await relaunched.purchases.pending()
        #expect(pending.map(\.state) == [.rejected([RejectionReason(code: .app, reason: "another account's")])])
        #expect(try await unfinished == 1)
        try await relaunched.purchases.discard(try #require(pending.first).id)
        #expect(try await unfinished == 0)
        try await expectOnlyWhatWasOwned(relaunched)
    }

    @Test func `purchases in a receipt are recorded once the app's server confirms the receipt, and then remain owned`()
        async throws
    {
        let (good, bad) = (try await LoopbackServer(.verified), try await LoopbackServer(.reply(500)))
        let elsewhere = try await launch("another device", asking: good.url)
        #expect(await buy("lisbon", with: elsewhere) == "bought")
        await elsewhere.stop()

        for (url, isOwned) in [(bad.url, false), (good.url, true), (bad.url, true)] {
            let manager = try await launch(asking: url, receipts: true)
            #expect(manager.ownership(of: .voyager("lisbon")).isOwned == isOwned)
            #expect(try await manager.ledger.check().isGood)
            await manager.stop()
        }
        // Whether the receipt is good could not be told: no other one was asked for.
        #expect(bad.requests.count == 2)
    }

    @Test func `a refund is applied while the app's server is unavailable`() async throws {
        let good = try await LoopbackServer(.verified)
        let before = try await launch(asking: good.url)
        #expect(await buy("lisbon", with: before) == "bought")
        await before.stop()
        try await voyager.store.refund("1")

        let dead = try DeadAddress()
        let manager = try await launch(asking: dead.url)
        #expect(!manager.ownership(of: .voyager("lisbon")).isOwned)
        #expect(try await unfinished == 0)
    }
}

extension LoopbackServer.Answer {
    fileprivate static let verified = json(#"{"verdict": "verified"}"#)
}
