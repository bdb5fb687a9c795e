import Foundation
import Synchronization
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine
@testable import VitrineDeviceExchange

/// Steps of an exchange between devices.
@Suite(.hangLimit) struct DeviceExchangeTests: ManagerScene {
    let voyager: VoyagerStore
    let folder: TemporaryFolder
    let transport = MemoryTransport()
    let key: LedgerSealKey
    let date = Date(timeIntervalSince1970: 1_790_000_000)

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
        key = try LedgerSealKey(Data.random(32))
    }

    func exchange(
        _ ledger: any Ledger, _ name: String, _ proof: any ExchangeProof = Believing(), as identifier: String? = nil,
        mostDocuments: Int = 64
    ) async throws -> ExchangeReport {
        let date = date
        let entitlements = EntitlementStore(ledger, summary: try await ledger.summary(), at: date)
        return try await DeviceExchange(
            entitlements: entitlements, transport: transport, key: key, name: name, policy: .forgiven, proof: proof,
            now: { date }, makeIdentifier: { identifier ?? "device-\(name)" },
            mostDocuments: mostDocuments
        ).run()
    }

    @Test func `an exchange without new facts makes a single request, which lists the names of the documents`()
        async throws
    {
        let (one, other) = (MemoryLedger(), MemoryLedger())
        _ = try await one.append([.deposited(5, token: "a")], at: date)
        for _ in 0..<2 {
            _ = try await exchange(one, "one")
            _ = try await exchange(other, "other")
        }
        _ = transport.drainCalls()
        #expect(try await exchange(other, "other") == ExchangeReport())
        #expect(try await exchange(one, "one") == ExchangeReport())
        #expect(transport.drainCalls() == ["names", "names"])
    }

    @Test func `a device whose facts are refused as too many reads those of the others, and publishes its own later`()
        async throws
    {
        let (one, other) = (MemoryLedger(), MemoryLedger())
        _ = try await one.append([.deposited(5, token: "a")], at: date)
        _ = try await exchange(one, "one")
        _ = try await other.append([.deposited(7, token: "b")], at: date)
        transport.isFull = true
        for _ in 0..<2 {
            let error = await #expect(throws: ExchangeError.self) { try await exchange(other, "other") }
            #expect(error?.code == .tooLarge)
            #expect(await other.summary().balances == ["coins": 12])
        }

        transport.isFull = false
        #expect(try await exchange(other, "other").sent == 1)
        _ = try await exchange(one, "one")
        #expect(await one.summary().balances == ["coins": 12])
    }

    @Test func `gifts of one server of the app are reported in the first exchange at another server without them`()
        async throws
    {
        let (ledger, server, other) = (MemoryLedger(), MemoryLedger(), MemoryLedger())
        _ = try await server.append([.deposited(5, token: "a"), .deposited(7, token: "b")], at: date)
        _ = try await exchange(server, "server-1", as: "server-1")
        #expect(try await exchange(ledger, "phone").problems.isEmpty)

        // Another server has only one of the gifts.
        transport.documents = [:]
        _ = try await other.append([.deposited(7, token: "b")], at: date)
        _ = try await exchange(other, "server-2", as: "server-2")
        var state = try await ExchangeState.read(from: ledger)
        state.startOver()
        try await state.store(in: ledger)
        let problems = try await exchange(ledger, "phone", as: "phone-again").problems
        #expect(problems.map(\.device) == ["server-1"])
        #expect(problems.first?.reason.contains("the deposit \"a\", which counts on this device") == true)
        #expect(problems.first?.reason.contains("\"b\"") == false)
        #expect(await ledger.summary().balances == ["coins": 12])
        #expect(try await exchange(ledger, "phone", as: "phone-again").problems.isEmpty)
    }

    @Test func `gifts of another server are reported also if a document disappears during the first exchange`()
        async throws
    {
        let (ledger, server, other) = (MemoryLedger(), MemoryLedger(), MemoryLedger())
        _ = try await server.append([.deposited(5, token: "a"), .deposited(7, token: "b")], at: date)
        _ = try await exchange(server, "server-1", as: "server-1")
        _ = try await exchange(ledger, "phone")

        transport.documents = [:]
        _ = try await other.append([.deposited(7, token: "b")], at: date)
        _ = try await exchange(other, "server-2", as: "server-2")
        transport.unreadable = Set(transport.documents.keys)
        var state = try await ExchangeState.read(from: ledger)
        state.startOver()
        try await state.store(in: ledger)
        #expect(try await exchange(ledger, "phone", as: "phone-again").problems.isEmpty)
        transport.unreadable = []
        let problems = try await exchange(ledger, "phone", as: "phone-again").problems
        #expect(problems.map(\.device) == ["server-1"])
        #expect(problems.first?.reason.contains("the deposit \"a\", which counts on this device") == true)
        #expect(try await exchange(ledger, "phone", as: "phone-again").problems.isEmpty)
    }

    @Test func `a document that the server replaces because of a publication is read in its new form at once`()
        async throws
    {
        let (ledger, server) = (MemoryLedger(), MemoryLedger())
        _ = try await server.append([.deposited(5, token: "a")], at: date)
        _ = try await exchange(server, "server-1", as: "server-1")
        let before = transport.documents
        _ = try await server.append([.deposited(7, token: "b")], at: date)
        _ = try await exchange(server, "server-1", as: "server-1")
        let after = transport.documents.filter { before[$0.key] == nil }
        transport.documents = before
        transport.replaceWhenStored(by: after)

        _ = try await ledger.append([.deposited(1, token: "c")], at: date)
        let report = try await exchange(ledger, "phone")
        #expect(report.sent == 1 && report.received == 1)
        #expect(report.problems.isEmpty)
        #expect(await ledger.summary().balances == ["coins": 8])
    }

    @Test func `a copy of a device that publishes during an exchange makes the next exchange change the identifier`()
        async throws
    {
        let (ledger, copy) = (MemoryLedger(), MemoryLedger())
        _ = try await copy.append([.deposited(5, token: "a")], at: date)
        _ = try await exchange(copy, "phone", as: "device-1")
        let published = transport.documents
        transport.documents = [:]
        transport.replaceWhenStored(by: published)

        _ = try await ledger.append([.deposited(1, token: "c")], at: date)
        #expect(try await exchange(ledger, "phone", as: "device-1").received == 0)
        _ = try await ledger.append([.deposited(2, token: "d")], at: date)
        let next = try await exchange(ledger, "phone", as: "device-2")
        #expect(next.received == 1)
        #expect(next.problems.map(\.device) == ["device-1"])
        #expect(next.problems.first?.reason.contains("a copy of this storage directory") == true)
        #expect(try await ExchangeState.read(from: ledger).device == "device-2")
        #expect(Set(transport.documents.keys.compactMap { DocumentName($0)?.device }) == ["device-1", "device-2"])
        #expect(try await exchange(ledger, "phone", as: "device-3") == ExchangeReport())
        #expect(await ledger.summary().balances == ["coins": 8])
    }

    @Test func `a document that its device has replaced meanwhile is no problem, unless it stays listed`() async throws
    {
        let (one, other) = (MemoryLedger(), MemoryLedger())
        _ = try await one.append([.deposited(5, token: "a")], at: date)
        _ = try await exchange(one, "one")
        transport.unreadable = Set(transport.documents.keys)

        #expect(try await exchange(other, "other").problems.isEmpty)
        let problems = try await exchange(other, "other").problems
        #expect(problems.map(\.isFinal) == [false])
        #expect(problems.first?.reason == "it is listed, and cannot be read")
        transport.unreadable = []
        #expect(try await exchange(other, "other").received == 1)
    }

    @Test func `a fact recorded during an exchange is published by the next exchange`() async throws {
        let (one, base) = (MemoryLedger(), MemoryLedger())
        _ = try await one.append([.deposited(5, token: "a")], at: date)
        _ = try await exchange(one, "one")
        var other = InterceptedLedger(base)
        let date = date
        other.before = { call throws(LedgerError) in
            if call == "merge" { _ = try await base.append([.deposited(7, token: "b")], at: date) }
        }
        _ = try await exchange(other, "other")
        #expect(try await exchange(base, "other").sent == 1)
        _ = try await exchange(one, "one")
        for ledger in [one, base] { #expect(await ledger.summary().balances == ["coins": 12]) }
    }

    @Test func `a received fact that could not be verified is verified again by the next exchange`() async throws {
        struct Undecided: ExchangeProof, ExchangeVerdicts {
            func verdicts(on entries: [LedgerEntry], areSealed: Bool) -> any ExchangeVerdicts { self }

            func verdict(on entry: LedgerEntry) -> ExchangeVerdict {
                entry.fact.key == "b" ? .undetermined("the root is not known yet") : .proved
            }
        }
        let (one, other) = (MemoryLedger(), MemoryLedger())
        _ = try await one.append([.deposited(5, token: "a"), .deposited(7, token: "b")], at: date)
        _ = try await exchange(one, "one")
        let first = try await exchange(other, "other", Undecided())
        #expect(first.received == 1)
        #expect(first.problems.map(\.isFinal) == [false])
        #expect(try await exchange(other, "other").received == 1)
        #expect(await other.summary().balances == ["coins": 12])
    }

    @Test func `a device whose facts exceed the size of one document writes several documents`() async throws {
        let (one, other) = (MemoryLedger(), MemoryLedger())
        let signed = String(repeating: "x", count: 4_000_000)
        let facts = (0..<6).map { number -> Fact in
            guard case .purchase(var purchase) = Fact.bought("guide\(number)", transaction: "\(number)") else {
                return .deposited(1, token: "\(number)")
            }
            purchase.origin.signedData = signed
            return .purchase(purchase)
        }
        _ = try await one.append(facts, at: date)
        #expect(try await exchange(one, "one").sent == 6)
        #expect((2...6).contains(transport.documents.count))
        #expect(transport.documents.values.allSatisfy { $0.count < DeviceDocument.sizeLimit })
        #expect(try await exchange(other, "other").received == 6)
    }

    private func makeOther(_ hooks: AppHooks = AppHooks()) async throws -> CatalogManager {
        let clock = voyager.clock
        var options = ManagerOptions(now: { clock.now })
        options.purchases.hooks = hooks
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.unlisted,
            verifier: voyager.verifier(), home: Home(url: folder["other"]), options: options)
        await manager.loadProducts()
        return manager
    }

    @Test func `content installed on another device is offered, but not downloaded`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await buy("rome", with: manager) == "charged")
        await manager.contentSettled()
        let options = ExchangeOptions(key: key, name: "first")
        _ = try await manager.devices.exchange(at: transport, options)
        #expect(try await manager.devices.offeredContent().isEmpty)

        let other = try await makeOther()
        _ = try await other.devices.exchange(at: transport, ExchangeOptions(key: key, name: "other"))
        let id = try #require(try await manager.devices.all().first).id
        #expect(try await other.devices.offeredContent().map(\.product) == [.voyager("rome")])
        #expect(try await other.devices.offeredContent().map(\.devices) == [[id]])
        #expect(other.content.downloads.isEmpty)
    }

    @Test func `two exchanges of one storage directory never run at the same time`() async throws {
        let manager = try await makeOther()
        let (gate, options) = (Gate(), ExchangeOptions(key: key))
        let slow = WaitingTransport(base: transport, gate: gate)
        let first = Task { try await manager.devices.exchange(at: slow, options) }
        await gate.arrival()
        let error = await #expect(throws: ExchangeError.self) {
            try await manager.devices.exchange(at: transport, options)
        }
        #expect(error?.code == .busy)
        await gate.open()
        _ = try await first.value
    }
}

/// Exchange place that answers only while a test's gate is open.
private struct WaitingTransport: ExchangeTransport {
    let base: MemoryTransport
    let gate: Gate

    func names() async throws(ExchangeError) -> [String] {
        await gate.pass()
        return base.names()
    }

    func document(named name: String) async throws(ExchangeError) -> Data? { base.document(named: name) }

    func store(_ document: Data, named name: String) async throws(ExchangeError) {
        try base.store(document, named: name)
    }

    func exclusively<Value: Sendable>(
        _ body: @Sendable () async throws(ExchangeError) -> Value
    ) async throws(ExchangeError) -> Value {
        try await body()
    }
}
