import Foundation
import Testing
import VitrineCatalog
import VitrineDeviceExchange
import VitrineEntitlements
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Imported entries that the store has not signed.
@Suite(.hangLimit) struct LedgerImportTests: ManagerScene {
    let voyager: VoyagerStore
    let folder: TemporaryFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    /// Returns an exported ledger with a purchased guide, coins that are partly spent, granted coins, and a granted
    /// guide.
    private func exported() async throws -> LedgerDocument {
        let manager = try await makeManager()
        await manager.loadProducts()
        for name in ["lisbon", "coins50"] { #expect(await buy(name, with: manager) == "charged") }
        try await manager.wallets.spend(20, from: "coins", token: "map")
        try await manager.wallets.deposit(5, in: "coins", token: "sorry", because: "a mistake")
        try await manager.unlock(.voyager("porto"))
        return try await manager.ledger.export()
    }

    /// Creates a manager on another device of the customer.
    private func makeOther(_ catalog: CatalogSource? = nil, isLoaded: Bool = true) async throws -> CatalogManager {
        let clock = voyager.clock
        let manager = try await CatalogManager(
            catalog: catalog ?? .file(Repository.sample("Voyager.plist")), store: voyager.unlisted,
            verifier: voyager.verifier(), home: Home(url: folder["other"]), options: ManagerOptions(now: { clock.now }))
        if isLoaded { await manager.loadProducts() }
        return manager
    }

    private func expectRefused(
        _ document: LedgerDocument, by manager: CatalogManager, as code: LedgerImportErrorCode = .notTrusted,
        _ reason: String, sealedWith key: LedgerSealKey? = nil,
        allowing isAllowed: @Sendable (LedgerEntry) async -> Bool = { _ in false }
    ) async throws {
        let before = try await manager.ledger.history()
        let error = await #expect(throws: LedgerImportError.self) {
            try await manager.ledger.importDocument(document, sealedWith: key, allowing: isAllowed)
        }
        #expect(error?.code == code)
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        #expect(try await manager.ledger.history() == before)
    }

    // MARK: Proofs

    @Test func `entries that the store has signed and the catalog confirms are imported without further permission`()
        async throws
    {
        var document = try await exported()
        document.entries.removeAll { [.grant, .deposit].contains($0.fact.kind) }
        let other = try await makeOther()

        #expect(try await other.ledger.importDocument(document) == 4)
        #expect(other.wallets.balance(for: "coins") == .known(30))
        #expect(other.ownership(of: .voyager("lisbon")).isOwned)
        #expect(try await other.ledger.importDocument(document) == 0)
    }

    @Test func `imported entries in the wrong order are recorded in their original order`() async throws {
        var document = try await exported()
        document.entries.removeAll { [.grant, .deposit].contains($0.fact.kind) }
        document.entries.reverse()
        let other = try await makeOther()

        #expect(try await other.ledger.importDocument(document) == 4)
        #expect(other.wallets.balance(for: "coins") == .known(30))
        #expect(
            try await other.ledger.history().map(\.fact) == document.entries.map(\.fact).reversed())
    }

    @Test(arguments: ["recordedAt", "purchaseDate", "signedDate"], [-1, 9_000_000_000_000_000_000])
    func `a ledger document with a date out of range is refused`(field: String, date: Int64) async throws {
        let json = String(decoding: try await exported().json(), as: UTF8.self)
            .replacing(try Regex("\"\(field)\" : [0-9]+"), with: "\"\(field)\" : \(date)")
        let error = #expect(throws: LedgerImportError.self) { try LedgerDocument(json: Data(json.utf8)) }

        #expect(error?.code == .malformed)
        #expect(error?.reason == "a date in the ledger is before 1970 or after the year 9999")
    }

    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        /// Function that changes the fact of an entry.
        let change: @Sendable (inout Fact) -> Void
    }

    private static func credit(
        _ name: String, _ reason: String, _ change: @escaping @Sendable (inout Fact.Credit) -> Void
    ) -> Forgery {
        Forgery(testDescription: name, reason: reason) { fact in
            guard case .credit(var credit) = fact else { return }
            change(&credit)
            fact = .credit(credit)
        }
    }

    @Test(
        arguments: [
            credit("more coins", "entry 3 cannot be trusted: the entry credits 5000000 of \"coins\"") {
                $0.amount = 5_000_000
            },
            credit("fewer coins", "entry 3 cannot be trusted: the entry credits 49 of \"coins\"") { $0.amount = 49 },
            credit("another wallet", "the entry credits 50 of \"gems\"") { $0.wallet = "gems" },
            credit("another product", "for com.example.voyager.coins500, but") {
                $0.productIdentifier = .voyager("coins500")
            },
            credit("coins that a refund leaves", "the refund policy of the credit is ignore") {
                $0.refundPolicy = .ignore
            },
            credit("coins of nothing", "the purchase of the credit is missing") { $0.purchaseID = "77" },
            Forgery(
                testDescription: "a guide with another in it",
                reason: "no loaded catalog confirms that com.example.voyager.lisbon contains com.example.voyager.rome"
            ) { fact in
                guard case .purchase(var purchase) = fact, purchase.kind == .nonConsumable else { return }
                purchase.contents = [.voyager("rome")]
                fact = .purchase(purchase)
            },
        ]
    )
    func `an imported value that is not covered by the store's signature must match the catalog`(_ forgery: Forgery)
        async throws
    {
        var document = try await exported()
        document.entries = document.entries.map { entry in
            var fact = entry.fact
            forgery.change(&fact)
            return LedgerEntry(sequence: entry.sequence, recordedAt: entry.recordedAt, fact: fact)
        }
        document.entries.removeAll { [.grant, .deposit].contains($0.fact.kind) }

        try await expectRefused(document, by: makeOther(), forgery.reason)
    }

    @Test func `a credit is not imported without a catalog that confirms it`() async throws {
        var document = try await exported()
        document.entries.removeAll { [.grant, .deposit].contains($0.fact.kind) }
        try await expectRefused(
            document, by: makeOther(isLoaded: false), "entry 3 cannot be trusted: no catalog is loaded")
        let without = Catalog(products: [CatalogProduct(identifier: .voyager("lisbon"), kind: .nonConsumable)])
        try await expectRefused(document, by: makeOther(.catalog(without)), "the loaded catalog credits nothing for")
    }

    @Test func `an imported non-renewing subscription must not last longer than the catalog states`() throws {
        let bought = Date(timeIntervalSince1970: 1_790_000_000)
        let duration = try #require(SubscriptionDuration("P30D"))
        let catalog = Catalog(
            products: [
                CatalogProduct(identifier: "pass", kind: .nonRenewingSubscription, subscriptionDuration: duration)
            ])
        func entry(lasting days: Double?) -> LedgerEntry {
            let period = days.map { Fact.Period(expirationDate: bought + $0 * 86_400) }
            return LedgerEntry(
                sequence: 1, recordedAt: bought,
                fact: .bought("pass", transaction: "1", kind: .nonRenewingSubscription, until: period, at: bought))
        }
        func doubt(lasting days: Double?, recorded: Double? = nil, _ catalog: Catalog?) -> String? {
            let (new, earlier) = (entry(lasting: days), recorded.map { [entry(lasting: $0)] } ?? [])
            return CatalogProof(catalog: catalog, recorded: earlier, importing: [new]).doubt(about: new.fact)
        }
        #expect(doubt(lasting: 30, catalog) == nil)
        #expect(doubt(lasting: 29, catalog) == nil)
        for days in [31, nil] as [Double?] {
            #expect(
                doubt(lasting: days, catalog) == "no loaded catalog confirms the duration that the entry gives for pass"
            )
        }
        #expect(doubt(lasting: 30, nil) != nil)
        #expect(doubt(lasting: 60, recorded: 60, catalog) == nil)
        #expect(doubt(lasting: 60, recorded: 30, catalog) != nil)
    }

    // MARK: Leave

    @Test func `grants and deposits are imported only with the app's permission`() async throws {
        let document = try await exported()
        let other = try await makeOther()
        try await expectRefused(
            document, by: other, "entry 5 cannot be trusted: the store does not sign deposits, and the entry adds 5")
        try await expectRefused(document, by: other, "entry 6 cannot be trusted: the store does not sign grants") {
            $0.fact.kind == .deposit
        }

        let asked = Recorder<Fact.Kind>()
        let count = try await other.ledger.importDocument(document) { entry in
            asked.record(entry.fact.kind)
            return true
        }
        #expect(count == 6)
        #expect(asked.values == [.deposit, .grant])
        #expect(other.wallets.balance(for: "coins") == .known(35))
        // All of it is known now.
        #expect(try await other.ledger.importDocument(document) == 0)
    }

    @Test(arguments: [true, false])
    func `an imported grant does not undo a later lock of this device, and counts if the lock was earlier`(
        isLockLater: Bool
    ) async throws {
        let (manager, other) = (try await makeManager(), try await makeOther())
        await manager.loadProducts()
        try await other.unlock(.voyager("porto"))
        for isLock in [!isLockLater, isLockLater] {
            voyager.clock.advance(by: 60)
            if isLock {
                #expect(try await other.lock(.voyager("porto")))
            } else {
                try await manager.unlock(.voyager("porto"))
            }
        }
        voyager.clock.advance(by: 60)
        let document = try await manager.ledger.export()

        let count = try await other.ledger.importDocument(document) { _ in true }
        #expect(count == (isLockLater ? 0 : 1))
        #expect(other.ownership(of: .voyager("porto")).isOwned == !isLockLater)
    }

    @Test func `an imported credit that differs from the recorded one is refused as a contradiction`() async throws {
        let document = try await exported()
        let other = try await makeOther()
        let isAllowed: @Sendable (LedgerEntry) -> Bool = { _ in true }
        #expect(try await other.ledger.importDocument(document, allowing: isAllowed) == 6)
        var changed = document
        guard case .credit(var credit) = changed.entries[2].fact else {
            Issue.record("no credit")
            return
        }
        credit.amount = 500
        changed.entries[2] = LedgerEntry(
            sequence: 3, recordedAt: document.entries[2].recordedAt, fact: .credit(credit))

        try await expectRefused(
            changed, by: other, as: .contradiction,
            "entry 3 contradicts this ledger: the entry credits 500 of \"coins\" for the purchase 2, but this ledger "
                + "has recorded 50 of \"coins\"", allowing: isAllowed)
    }

    // MARK: Seals

    private func key(_ byte: UInt8 = 1) throws -> LedgerSealKey { try LedgerSealKey(Data(repeating: byte, count: 32)) }

    @Test func `a sealed ledger document is imported in full, and refused if anything was changed`() async throws {
        let document = try await exported().sealed(with: key())
        let other = try await makeOther()
        let mismatch = "the document's seal does not match"
        try await expectRefused(document, by: other, mismatch, sealedWith: key(2))
        try await expectRefused(document, by: other, "entry 5 cannot be trusted")

        var variants = document.entries.indices.map { index in
            var changed = document
            changed.entries.remove(at: index)
            return changed
        }
        for index in document.entries.indices.dropLast() {
            var changed = document
            changed.entries.swapAt(index, index + 1)
            variants.append(changed)
        }
        for index in document.entries.indices {
            var changed = document
            let entry = document.entries[index]
            changed.entries[index] = LedgerEntry(
                sequence: entry.sequence, recordedAt: entry.recordedAt + 0.001, fact: entry.fact)
            variants.append(changed)
        }
        for variant in variants { try await expectRefused(variant, by: other, mismatch, sealedWith: key()) }

        let read = try LedgerDocument(json: document.json())
        #expect(read == document)
        #expect(try await other.ledger.importDocument(read, sealedWith: key()) == 6)
        #expect(try await other.ledger.importDocument(read, sealedWith: key()) == 0)
        #expect(other.wallets.balance(for: "coins") == .known(35))
        #expect(other.ownership(of: .voyager("porto")).isOwned)
    }

    @Test func `a ledger document with a wrong seal is refused even if the store has signed its entries`() async throws
    {
        var document = try await exported()
        document.entries.removeAll { [.grant, .deposit].contains($0.fact.kind) }
        try await expectRefused(
            document.sealed(with: key(2)), by: makeOther(), "the document's seal does not match", sealedWith: key())
    }

    @Test func `signed data is verified in a sealed document too`() async throws {
        var document = try await exported()
        guard case .purchase(var purchase) = document.entries[0].fact else {
            Issue.record("no purchase")
            return
        }
        purchase.origin.productIdentifier = .voyager("everything")
        document.entries[0] = LedgerEntry(
            sequence: 1, recordedAt: document.entries[0].recordedAt, fact: .purchase(purchase))
        try await expectRefused(
            document.sealed(with: key()), by: makeOther(),
            "entry 1 cannot be trusted: the signed data differs from the entry",
            sealedWith: key())
    }

    @Test func `units removed by a revocation are computed again at the import of a sealed document`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await buy("coins50", with: manager) == "charged")
        try await manager.wallets.spend(20, from: "coins", token: "map")
        try await voyager.store.refund("1")
        await manager.purchases.deliverUnfinished()
        var document = try await manager.ledger.export()
        guard case .revocation(var revocation) = document.entries[3].fact else {
            Issue.record("no revocation")
            return
        }
        #expect(revocation.debited == WalletAmount(wallet: "coins", amount: 30))
        revocation.debited = nil
        document.entries[3] = LedgerEntry(
            sequence: 4, recordedAt: document.entries[3].recordedAt, fact: .revocation(revocation))

        let other = try await makeOther()
        #expect(try await other.ledger.importDocument(document.sealed(with: key()), sealedWith: key()) == 4)
        #expect(other.wallets.balance(for: "coins") == .known(0))
    }

    @Test func `a key for seals must have at least 32 bytes`() throws {
        let error = #expect(throws: LedgerSealKeyError.self) { try LedgerSealKey(Data(repeating: 1, count: 31)) }
        #expect(error?.code == .tooShort)
        #expect(error?.reason == "the key of the seal has 31 bytes, but must have at least 32")
    }

    @Test func `the seal covers every field of an entry, in one canonical form`() throws {
        var (fields, columns) = (EntryFields(kind: "debit", key: "a", recordedAt: 1), ColumnNames())
        fields.visitColumns(&columns)
        #expect(Set(columns.all + ["sequence"]) == Set(Mirror(reflecting: fields).children.compactMap(\.label)))
        let debit = Fact.debit(Fact.Debit(token: "Köln", wallet: "coins", amount: 20))
        let entry = LedgerEntry(sequence: 7, recordedAt: Date(timeIntervalSince1970: 1.5), fact: debit)

        #expect(
            String(decoding: LedgerSealKey.canonicalForm(of: [entry]), as: UTF8.self)
                == "21:vitrine-ledger-seal 11:11:66:amount2:203:key5:Köln4:kind5:debit10:recordedAt4:1500"
                + "8:sequence1:76:wallet5:coins")
        let document = LedgerDocument(entries: [entry]).sealed(with: try key())
        // The same as other software computes it.
        #expect(document.seal == "19TXf2cW/pubk6ULxRWT4itUpw10uQmAmQdxgSpjkz8=")
    }
}

private struct ColumnNames: EntryColumnVisitor {
    var all: [String] = []

    mutating func visit(_ column: EntryColumn, _ text: inout String?) { all.append(column.name) }

    mutating func visit(_ column: EntryColumn, _ integer: inout Int64?) { all.append(column.name) }

    mutating func visit(_ column: EntryColumn, _ flag: inout Bool?) { all.append(column.name) }
}
