import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine
@testable import VitrineDeviceExchange

/// Folder into which others can write too. Invalid documents are refused with a reason, and do not affect other
/// documents.
@Suite(.hangLimit) struct HostileFolderTests: ManagerScene {
    let voyager: VoyagerStore
    let folder: TemporaryFolder
    private let key: LedgerSealKey
    private let sharedFolder: ExchangeFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
        key = try LedgerSealKey(Data.random(32))
        sharedFolder = ExchangeFolder(url: folder["Shared"])
        try FileManager.default.createDirectory(at: sharedFolder.url, withIntermediateDirectories: true)
    }

    private func makeReader() async throws -> CatalogManager {
        let clock = voyager.clock
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.unlisted,
            verifier: voyager.verifier(), home: Home(url: folder["other"]), options: ManagerOptions(now: { clock.now }))
        await manager.loadProducts()
        return manager
    }

    /// Publishes the facts of an honest device: purchases of a guide and coins, a grant, a deposit and a debit.
    private func publish(sealed: Bool = true) async throws -> [LedgerEntry] {
        let manager = try await makeManager()
        await manager.loadProducts()
        for name in ["lisbon", "coins50"] { #expect(await buy(name, with: manager) == "charged") }
        try await manager.wallets.spend(20, from: "coins", token: "map")
        try await manager.wallets.deposit(5, in: "coins", token: "sorry", because: "a mistake")
        try await manager.unlock(.voyager("porto"))
        let report = try await manager.devices.exchange(
            at: sharedFolder, ExchangeOptions(key: sealed ? key : nil, name: "honest"))
        #expect(report.sent == 6)
        return try await manager.ledger.history()
    }

    private func write(_ document: DeviceDocument, sealedWith key: LedgerSealKey?) throws -> String {
        let data = try document.data(sealedWith: key)
        return try write(data, as: DocumentName(of: document, data).text)
    }

    @discardableResult private func write(_ data: Data, as name: String) throws -> String {
        try data.write(to: sharedFolder.url.appending(path: name))
        return name
    }

    private func document(
        _ facts: [Fact], device: String = "liar-0001", first: Int64 = 1, moment: TimeInterval = 0
    ) -> DeviceDocument {
        let date = voyager.clock.now + moment
        return DeviceDocument(
            device: device, name: "liar", first: first, last: first + Int64(facts.count) - 1,
            entries: facts.enumerated().map {
                LedgerEntry(
                    sequence: first + Int64($0), recordedAt: date + TimeInterval($0), fact: $1)
            })
    }

    private func expectUnharmed(_ manager: CatalogManager) {
        #expect(manager.wallets.balance(for: "coins") == .known(35))
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        #expect(manager.ownership(of: .voyager("porto")).isOwned)
        #expect(!manager.ownership(of: .voyager("madrid")).isOwned)
    }

    private static let gift = Fact.given(.voyager("madrid"), token: "forged")

    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        var isFinal = true
        /// Function that writes a forged document into the folder.
        let write: @Sendable (HostileFolderTests, [LedgerEntry]) throws -> Void
    }

    @Test(
        arguments: [
            Forgery(testDescription: "half a document", reason: "it is not complete, or was changed", isFinal: false) {
                test, _ in
                let name = try test.write(test.document([HostileFolderTests.gift]), sealedWith: test.key)
                let file = test.sharedFolder.url.appending(path: name)
                try Data(contentsOf: file).dropLast(9).write(to: file)
            },
            Forgery(testDescription: "a changed document", reason: "its seal does not match") { test, _ in
                let document = test.document([.deposited(1, token: "forged")])
                let data = Data(
                    String(decoding: try document.data(sealedWith: test.key), as: UTF8.self)
                        .replacing("\"amount\":1", with: "\"amount\":1000").utf8)
                try test.write(data, as: DocumentName(of: document, data).text)
            },
            Forgery(testDescription: "a gift without a seal", reason: "is not sealed with the customer's key") {
                test, _ in
                _ = try test.write(test.document([HostileFolderTests.gift]), sealedWith: nil)
            },
            Forgery(testDescription: "a debit without a seal", reason: "is not sealed with the customer's key") {
                test, _ in
                _ = try test.write(test.document([.spent(30, token: "forged")]), sealedWith: nil)
            },
            Forgery(testDescription: "another customer's gift", reason: "of another customer") { test, _ in
                let other = try LedgerSealKey(Data.random(32, seed: 9))
                _ = try test.write(test.document([HostileFolderTests.gift]), sealedWith: other)
            },
            Forgery(testDescription: "another's document as one's own", reason: "its name is not that of its content") {
                test, _ in
                let document = test.document([.spent(1, token: "forged")])
                let data = try document.data(sealedWith: test.key)
                var other = document
                other.device = "liar-0002"
                try test.write(data, as: DocumentName(of: other, data).text)
            },
            Forgery(testDescription: "a purchase that the store has not signed", reason: "cannot be trusted") {
                test, entries in
                guard case .purchase(var purchase)? = entries.first(where: { $0.fact.kind == .purchase })?.fact else {
                    return
                }
                purchase.origin.productIdentifier = .voyager("madrid")
                purchase.origin.purchaseID = "777"
                _ = try test.write(test.document([.purchase(purchase)]), sealedWith: test.key)
            },
            Forgery(testDescription: "a second credit for a purchase", reason: "a different credit is already recorded")
            {
                test, entries in
                guard case .credit(var credit)? = entries.first(where: { $0.fact.kind == .credit })?.fact else {
                    return
                }
                credit.amount = 5_000
                _ = try test.write(test.document([.credit(credit)], moment: 90), sealedWith: test.key)
            },
            Forgery(testDescription: "a credit without a purchase", reason: "is not recorded yet", isFinal: false) {
                test, _ in
                _ = try test.write(test.document([.credited(50, transaction: "99")]), sealedWith: test.key)
            },
            Forgery(testDescription: "numbers that go back", reason: "the numbers of its entries do not increase") {
                test, _ in
                var document = test.document([.deposited(1, token: "f"), .deposited(1, token: "g")])
                document.entries.reverse()
                _ = try test.write(document, sealedWith: test.key)
            },
            Forgery(testDescription: "numbers used twice", reason: "the device has used its numbers twice") { test, _ in
                _ = try test.write(test.document([.deposited(1, token: "f")]), sealedWith: test.key)
                _ = try test.write(test.document([.spent(1, token: "g")]), sealedWith: test.key)
            },
            Forgery(
                testDescription: "a year that is far away", reason: "more than a year after the clock", isFinal: false
            ) {
                test, _ in
                let facts: [Fact] = [.deposited(1, token: "f")]
                _ = try test.write(test.document(facts, moment: 500 * 86_400), sealedWith: test.key)
            },
            Forgery(
                testDescription: "what is about the liar's own ledger", reason: "is about the device that records it"
            ) {
                test, _ in
                var fact = Fact.Adjustment(token: "f", wallet: "coins", amount: 5_000, reason: "none")
                fact.overdrawn = 1
                let document = test.document([.adjustment(fact)])
                _ = try test.write(document, sealedWith: test.key)
            },
            Forgery(testDescription: "no document at all", reason: "it is not a document of a device") { test, _ in
                let data = Data.random(4_000)
                let document = test.document([.spent(1, token: "f")])
                try test.write(data, as: DocumentName(of: document, data).text)
            },
            Forgery(testDescription: "an array in 513 arrays", reason: "it is not a document of a device") { test, _ in
                let nested = String(repeating: "[", count: 513)
                let data = Data("\(nested)\n\(nested)".utf8)
                let document = test.document([.spent(1, token: "f")])
                try test.write(data, as: DocumentName(of: document, data).text)
            },
            Forgery(testDescription: "a document without an end", reason: "larger than") { test, _ in
                let document = test.document([.spent(1, token: "f")])
                let name = DocumentName(of: document, try document.data(sealedWith: test.key)).text
                let file = test.sharedFolder.url.appending(path: name)
                try Data().write(to: file)
                let handle = try FileHandle(forUpdating: file)
                try handle.truncate(atOffset: 1 << 40)
                try handle.close()
            },
            Forgery(testDescription: "more coins than fit", reason: "at most 281474976710656") { test, _ in
                _ = try test.write(test.document([.deposited(.max, token: "f")], moment: 1), sealedWith: test.key)
            },
        ])
    func `untrusted documents are refused with a reason, and all other facts are recorded`(_ forgery: Forgery)
        async throws
    {
        let entries = try await publish()
        try forgery.write(self, entries)
        let manager = try await makeReader()
        let report = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))

        let problem = report.problems.first { $0.reason.contains(forgery.reason) }
        #expect(problem != nil, "\(report.problems)")
        #expect(problem?.isFinal == forgery.isFinal)
        expectUnharmed(manager)
        let check = try await manager.ledger.check()
        #expect(check.isGood, "\(check)")
        // The next exchange reads again only what may be better then.
        let next = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        #expect(next.problems.contains { $0.reason.contains(forgery.reason) } == !forgery.isFinal, "\(next.problems)")
    }

    @Test func `foreign files, folders, links and pipes in the exchange folder do not prevent an exchange`()
        async throws
    {
        _ = try await publish()
        for name in [
            "README.txt", ".DS_Store", "a.b-c.d.facts", "honest.1-2.facts", String(repeating: "a", count: 200),
        ] {
            try write(Data("nothing".utf8), as: name)
        }
        try FileManager.default.createDirectory(
            at: sharedFolder.url.appending(path: "liar-0001.1-1.0123456789abcdef.facts"),
            withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: sharedFolder.url.appending(path: "liar-0002.1-1.0123456789abcde0.facts").path(),
            withDestinationPath: "/dev/zero")
        #expect(mkfifo(sharedFolder.url.appending(path: "liar-0003.1-1.0123456789abcde1.facts").path(), 0o600) == 0)
        let manager = try await makeReader()
        let report = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        #expect(report.problems.count == 3, "\(report.problems)")
        expectUnharmed(manager)
    }

    @Test func `thousands of invalid files do not prevent valid documents from being read`() async throws {
        _ = try await publish()
        for number in 0..<3_000 {
            let digest = String(repeating: "0", count: 12) + String(number + 1_000, radix: 16).suffix(4)
            try write(Data("x".utf8), as: "0aaaaaaa.1-1.\(digest.count == 16 ? digest : "0" + digest).facts")
        }
        let manager = try await makeReader()
        let report = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        #expect(report.problems.count == 1_000)
        #expect(report.problemCount > 2_000)
        expectUnharmed(manager)
    }

    @Test func `an exchange with a key takes no purchase from a document without the seal of the key`() async throws {
        _ = try await publish(sealed: false)
        let manager = try await makeReader()
        let report = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        #expect(report.received == 0)
        #expect(Set(report.problems.map(\.reason)) == ["it is not sealed with the customer's key"])
        #expect(manager.wallets.balance(for: "coins") == .known(0))
        #expect(!manager.ownership(of: .voyager("lisbon")).isOwned)
    }

    @Test func `an unsealed copy of a sealed purchase is refused and does not change that purchase`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await buy("iberia", with: manager) == "charged")
        _ = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key, name: "honest"))
        let entry = try #require(try await manager.ledger.history().first { $0.fact.kind == .purchase })
        guard case .purchase(var purchase) = entry.fact else { return }
        #expect(purchase.contents.count > 1)
        purchase.contents = []
        _ = try write(document([.purchase(purchase)], moment: -5), sealedWith: nil)

        let other = try await makeReader()
        let report = try await other.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        #expect(report.problems.map(\.device) == ["liar-0001"])
        let recorded = try await other.ledger.history().filter { $0.fact.kind == .purchase }
        #expect(recorded.map(\.fact) == [entry.fact])
    }

    @Test
    func `an unsealed credit that differs from the catalog is applied only once the catalog states the same amount`()
        async throws
    {
        _ = try await publish(sealed: false)
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        try Data(text.replacing("<integer>50</integer>", with: "<integer>40</integer>").utf8).write(
            to: folder["older.plist"])
        let clock = voyager.clock
        for (catalog, balance) in [(folder["older.plist"], 0), (Repository.sample("Voyager.plist"), 50)] {
            let manager = try await CatalogManager(
                catalog: .file(catalog), store: voyager.unlisted, verifier: voyager.verifier(),
                home: Home(url: folder["other"]), options: ManagerOptions(now: { clock.now }))
            await manager.loadProducts()
            _ = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions())
            #expect(manager.wallets.balance(for: "coins") == .known(balance))
            await manager.stop()
        }
    }

    @Test func `device names, departures and removals in unsealed documents are ignored`() async throws {
        _ = try await publish()
        let content = Fact.content(
            Fact.Content(
                productIdentifier: .voyager("rome"), version: String(repeating: "9", count: 9_000_000), path: "rome"))
        for number in 1...2 {
            _ = try write(document([content], device: "liar-000\(number)"), sealedWith: nil)
        }
        let manager = try await makeReader()
        _ = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        #expect(try await manager.devices.all().map(\.name) == ["", "honest"])
        expectUnharmed(manager)

        let id = try #require(try await manager.devices.all().last).id
        var forged = document([.spent(1, token: "f")], device: id)
        (forged.name, forged.hasLeft, forged.removed) = (
            "EVIL", true, [try #require(try await manager.devices.all().first).id]
        )
        _ = try write(forged, sealedWith: nil)
        _ = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        #expect(try await manager.devices.all().map(\.name) == ["", "honest"])
        #expect(try await manager.devices.all().allSatisfy { !$0.hasLeft && !$0.isRemoved && !$0.isRepeated })
    }

    @Test func `an exchange refuses a document with more than 20000 entries`() async throws {
        let body = Data(
            ("{\"device\":\"liar-0001\",\"name\":\"\",\"first\":1,\"last\":1,\"entries\":["
                + String(repeating: "{\"kind\":\"\",\"key\":\"\",\"recordedAt\":0},", count: 300_000) + "]}").utf8)
        let header = Data("{\"format\":\"vitrine-device\",\"version\":1}\n".utf8)
        let data = header + body
        let digest = DocumentName.digest(of: data)
        try write(data, as: "liar-0001.1-1.\(digest).facts")
        let manager = try await makeReader()
        let report = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions())
        #expect(report.problems.map(\.reason) == ["it has more than 20000 entries"])
    }

    @Test func `an exchange refuses a document with more values than entries have, before it reads them`() async throws
    {
        let body =
            "{\"device\":\"liar-0001\",\"name\":\"\",\"first\":1,\"last\":0,\"entries\":[],\"unknown\":["
            + String(repeating: "1,", count: 900_000) + "1]}"
        let data = Data(("{\"format\":\"vitrine-device\",\"version\":1}\n" + body).utf8)
        try write(data, as: "liar-0001.1-0.\(DocumentName.digest(of: data)).facts")
        let manager = try await makeReader()
        let report = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions())
        #expect(report.problems.map(\.reason) == ["it has more than 20000 entries"])
    }

    @Test func `invalid documents that have the digest of a valid document in their names do not prevent its reading`()
        async throws
    {
        _ = try await publish()
        for name in try FileManager.default.contentsOfDirectory(atPath: sharedFolder.url.path()) {
            let digest = try #require(DocumentName(name)).digest
            try write(Data(contentsOf: sharedFolder.url.appending(path: name)), as: "0aaaaaaa.1-1.\(digest).facts")
            try write(Data("x".utf8), as: "0aaaaaaa.1-2.\(digest).facts")
        }
        let manager = try await makeReader()
        let report = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        #expect(report.problems.count == 2)
        expectUnharmed(manager)
    }

    @Test
    func `a device takes a new identifier only if another document sealed by the customer uses its identifier`()
        async throws
    {
        let manager = try await makeReader()
        _ = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        let id = try #require(try await manager.devices.all().first).id
        _ = try write(document([.spent(1, token: "f")], device: id), sealedWith: nil)
        _ = try write(document([.spent(1, token: "f")], device: id), sealedWith: LedgerSealKey(Data.random(40)))
        _ = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        #expect(try await manager.devices.all().first?.id == id)

        _ = try write(document([.spent(1, token: "f")], device: id), sealedWith: key)
        _ = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        #expect(try await manager.devices.all().first?.id != id)
    }

    @Test func `copies of an already read document under other names change nothing`() async throws {
        _ = try await publish()
        let names = try FileManager.default.contentsOfDirectory(atPath: sharedFolder.url.path())
        let manager = try await makeReader()
        _ = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        let before = try await manager.ledger.history()
        for name in names {
            let data = try Data(contentsOf: sharedFolder.url.appending(path: name))
            try write(data, as: name.replacing(".facts", with: " (conflicted copy 2027-01-31).facts"))
        }
        let report = try await manager.devices.exchange(at: sharedFolder, ExchangeOptions(key: key))
        #expect(report == ExchangeReport())
        #expect(try await manager.ledger.history() == before)
    }

    @Test func `facts signed by the store need no seal, and the app decides about all other unsealed facts`()
        async throws
    {
        _ = try await publish(sealed: false)
        let manager = try await makeReader()
        var options = ExchangeOptions()
        let report = try await manager.devices.exchange(at: sharedFolder, options)
        #expect(report.received == 3)
        #expect(report.problems.count == 3)
        #expect(manager.wallets.balance(for: "coins") == .known(50))
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        #expect(!manager.ownership(of: .voyager("porto")).isOwned)

        let clock = voyager.clock
        let third = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.unlisted,
            verifier: voyager.verifier(), home: Home(url: folder["third"]), options: ManagerOptions(now: { clock.now }))
        await third.loadProducts()
        options.isAllowed = { $0.fact.kind != .grant }
        let allowed = try await third.devices.exchange(at: sharedFolder, options)
        #expect(allowed.problems.count == 1)
        #expect(third.wallets.balance(for: "coins") == .known(35))
    }
}
