import Entitlements
import EntitlementsSQLite
import Foundation
import ProductCatalog
import Purchasing
import Receipts
import StoreSimulator
import TestSupport
import Testing

@testable import Vitrine

/// The app receipt at launch.
extension CatalogManagerTests {
    private func makeReader(
        store: (any Store)? = nil, verifier: (any ReceiptVerifier)? = nil, refresh: ReceiptOptions.Refresh = .never,
        ledger: (any Ledger)? = nil, catalog: CatalogSource = .file(Repository.sample("Voyager.plist")),
        choosing choices: (inout ManagerOptions) -> Void = { _ in }
    ) async throws -> CatalogManager {
        let verifier = try verifier ?? voyager.receiptVerifier()
        return try await makeManager(catalog: catalog, store: store, ledger: ledger) { options in
            options.receipts = ReceiptOptions(verifier: verifier, refresh: refresh)
            choices(&options)
        }
    }

    /// Has the store sell and deliver something without anybody who keeps it in a ledger.
    private func buyElsewhere(_ name: String) async throws {
        guard case .purchased(let transaction) = try await voyager.store.purchase(.voyager(name), quantity: 1) else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        try await voyager.store.finish(transaction)
    }

    private var entries: [LedgerEntry] {
        get async throws { try await SQLiteLedger(url: Home(url: folder["home"]).ledger).entries(after: 0) }
    }

    // MARK: Missing, bad, good

    /// What lies on the device when the app is launched.
    enum Found: String, Sendable {
        case nothing, damaged, good, unreadable, undetermined
    }

    struct Launch: Sendable, CustomTestStringConvertible {
        let found: Found
        let refresh: ReceiptOptions.Refresh
        let refreshes: Int
        let words: [String]
        var refreshFails = false
        var testDescription: String { "\(found), \(refresh)\(refreshFails ? ", and no new one comes" : "")" }
    }

    private static let launches = [
        Launch(found: .nothing, refresh: .never, refreshes: 0, words: ["missing", "missing"]),
        Launch(found: .damaged, refresh: .never, refreshes: 0, words: ["rejected: signature", "rejected: signature"]),
        Launch(found: .good, refresh: .never, refreshes: 0, words: ["good: 1", "good: 1"]),
        Launch(found: .unreadable, refresh: .never, refreshes: 0, words: ["store: unavailable", "store: unavailable"]),
        Launch(found: .undetermined, refresh: .never, refreshes: 0, words: ["undetermined", "undetermined"]),
        Launch(found: .nothing, refresh: .whenMissing, refreshes: 1, words: ["good: 1", "missing"]),
        Launch(found: .damaged, refresh: .whenMissing, refreshes: 1, words: ["good: 1", "rejected: signature"]),
        Launch(found: .good, refresh: .whenMissing, refreshes: 0, words: ["good: 1", "good: 1"]),
        Launch(
            found: .unreadable, refresh: .whenMissing, refreshes: 0,
            words: ["store: unavailable", "store: unavailable"]
        ),
        Launch(found: .undetermined, refresh: .whenMissing, refreshes: 0, words: ["undetermined", "undetermined"]),
        Launch(
            found: .nothing, refresh: .whenMissing, refreshes: 1, words: ["store: network", "missing"],
            refreshFails: true),
        Launch(
            found: .damaged, refresh: .whenMissing, refreshes: 1, words: ["store: network", "rejected: signature"],
            refreshFails: true),
    ]

    @Test(arguments: launches)
    func `a receipt is looked at each time, and asked for once where that is allowed`(_ launch: Launch) async throws {
        try await buyElsewhere("lisbon")
        let good = try await voyager.store.refreshAppReceipt(ReceiptRequest())
        let refreshes = Recorder<ReceiptRequest>()
        var store = InterceptedStore(voyager.store)
        store.onAppReceipt = { () throws(StoreError) in
            switch launch.found {
            case .nothing: return nil
            case .damaged: return good.dropLast() + [~good[good.endIndex - 1]]
            case .good, .undetermined: return good
            case .unreadable: throw StoreError(code: .unavailable, reason: "it cannot be read")
            }
        }
        store.onRefreshAppReceipt = { request throws(StoreError) in
            refreshes.record(request)
            guard !launch.refreshFails else { throw StoreError(code: .network, reason: "no network") }
            return good
        }
        let manager = try await makeReader(
            store: store, verifier: launch.found == .undetermined ? Undecided() : nil, refresh: launch.refresh)
        let events = try await events(of: manager) {
            await manager.loadProducts()
            await manager.loadProducts()
        }

        #expect(events.receiptWords == launch.words)
        #expect(refreshes.values == Array(repeating: ReceiptRequest(), count: launch.refreshes))
        #expect(manager.status == .productsLoaded)
        let isOwned = launch.words.contains("good: 1")
        #expect(manager.ownership(of: .voyager("lisbon")) == .notOwned || isOwned)
        #expect(try await self.entries.map(\.fact.kind) == (isOwned ? [.receipt, .purchase] : []))
    }

    @Test(
        arguments: [
            ([.app], 0), ([.environment], 0), ([.bundleIdentifier], 0), ([.expired, .environment], 0),
            ([.malformed], 1), ([.signature, .certificateChain], 1), ([.certificateValidity], 1), ([.device], 1),
            ([.appVersion], 1), ([.expired], 1),
        ] as [([RejectionReason.Code], Int)])
    func `the customer is asked for a password only where a new receipt may be better`(
        codes: [RejectionReason.Code], count: Int
    ) async throws {
        let good = try await voyager.store.refreshAppReceipt(ReceiptRequest())
        let refreshes = Recorder<ReceiptRequest>()
        var store = InterceptedStore(voyager.store)
        store.onRefreshAppReceipt = { request throws(StoreError) in
            refreshes.record(request)
            return good
        }
        let verifier = Rejecting(reasons: codes.map { RejectionReason(code: $0, detail: "no") })
        await (try await makeReader(store: store, verifier: verifier, refresh: .whenMissing)).loadProducts()

        #expect(refreshes.values.count == count)
    }

    @Test func `a button pressed before anything is loaded records what was bought, and asks once`() async throws {
        try await buyElsewhere("lisbon")
        try await voyager.store.removeAppReceipt()
        let (refreshes, base) = (Recorder<ReceiptRequest>(), voyager.store)
        var store = InterceptedStore(base)
        store.onRefreshAppReceipt = { request throws(StoreError) in
            refreshes.record(request)
            return try await base.refreshAppReceipt(request)
        }
        let manager = try await makeReader(store: store, refresh: .whenMissing)
        let events = try await events(of: manager) {
            try await manager.refreshReceipt()
            #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        }

        #expect(events.receiptWords == ["missing", "good: 1"])
        #expect(refreshes.values.count == 1)
    }

    @Test func `an old receipt on the device locks nothing that the store has given back`() async throws {
        let seller = try await makeManager()
        await seller.loadProducts()
        _ = await buy("lisbon", with: seller)
        await seller.stop()
        voyager.clock.advance(by: 60)
        try await voyager.store.refund("1")
        voyager.clock.advance(by: 60)
        try await voyager.store.reverseRefund("1")
        // The app was away at the refund.
        let away = try await makeManager()
        await away.loadProducts()
        await away.stop()

        let manager = try await makeReader()
        let events = try await events(of: manager) { await manager.loadProducts() }
        #expect(events.receiptWords == ["good: 1"])
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        #expect(try await self.entries.map(\.fact.kind) == [.purchase])
    }

    @Test func `a good receipt is not said to be recorded where the ledger has failed`() async throws {
        try await buyElsewhere("lisbon")
        let manager = try await makeReader(ledger: FullLedger())
        let events = try await events(of: manager) { await manager.loadProducts() }

        #expect(events.receiptWords.isEmpty)
        #expect(events.contains { if case .ledgerFailed = $0 { true } else { false } })
    }

    @Test func `without the option nobody looks at the receipt`() async throws {
        try await buyElsewhere("lisbon")
        let manager = try await makeManager()
        let events = try await events(of: manager) {
            await manager.loadProducts()
            let failure = await #expect(throws: ReceiptFailure.self) { try await manager.refreshReceipt() }
            #expect(failure?.description == "nothing was chosen to verify receipts with")
        }

        #expect(events.receiptWords == ["undetermined"])
        #expect(try await self.entries.isEmpty)
    }

    @Test func `a button asks for a new receipt, whatever is allowed at launch`() async throws {
        let manager = try await makeReader()
        let events = try await events(of: manager) {
            await manager.loadProducts()
            try await buyElsewhere("lisbon")
            try await voyager.store.removeAppReceipt()
            let signed = try await manager.refreshReceipt()
            #expect(signed.receipt.purchases.count == 1)
            #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
            let expired = ReceiptRequest(isExpired: true)
            let failure = await #expect(throws: ReceiptFailure.self) { try await manager.refreshReceipt(expired) }
            #expect(failure?.word == "rejected: expired")
        }

        #expect(events.receiptWords == ["missing", "good: 1", "rejected: expired"])
        #expect(events.ownershipChanges == [[.voyager("lisbon")]])
    }

    @Test func `what was owned stays owned when no receipt is good any more`() async throws {
        try await buyElsewhere("lisbon")
        await (try await makeReader()).loadProducts()
        for request in [ReceiptRequest(isExpired: true), ReceiptRequest(isRevoked: true)] {
            _ = try await voyager.store.refreshAppReceipt(request)
            let manager = try await makeReader()
            #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
            await manager.loadProducts()
            #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        }
        try await voyager.store.removeAppReceipt()
        let manager = try await makeReader()
        await manager.loadProducts()

        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        #expect(try await self.entries.map(\.fact.kind) == [.receipt, .purchase])
    }

    // MARK: What is recorded

    @Test func `the queue and the receipt do not record the same twice`() async throws {
        let manager = try await makeReader()
        await manager.loadProducts()
        for name in ["lisbon", "coins50"] { #expect(await buy(name, with: manager) == "charged") }
        voyager.clock.advance(by: 60)
        let later = try await makeReader()
        await later.loadProducts()
        #expect(later.walletBalance(for: "coins") == .known(50))
        #expect(try await self.entries.map(\.fact.kind) == [.purchase, .purchase, .credit])

        try await voyager.store.refund("1")
        voyager.clock.advance(by: 60)
        let (other, home) = (try await makeReader(), folder["home"])
        await other.loadProducts()
        #expect(other.ownership(of: .voyager("lisbon")) == .notOwned)
        #expect(try await self.entries.count == 4)
        #expect(try await self.entries.last?.fact.receiptDigest == nil)
        #expect(FileManager.default.fileExists(atPath: home.path()))
    }

    @Test func `what a receipt has proved can be checked, and moved to another device`() async throws {
        for name in ["lisbon", "porto", "coins50"] { try await buyElsewhere(name) }
        voyager.clock.advance(by: 60)
        try await voyager.store.setOriginalPurchase(
            OriginalPurchase(version: "500", date: Date(timeIntervalSince1970: 1_556_668_800), platform: .iOS))
        var store = InterceptedStore(voyager.store)
        store.onAppTransaction = { () throws(StoreError) in nil }
        let manager = try await makeReader(store: store)
        await manager.loadProducts()
        await manager.stop()
        // A refund of which the queue does not hear.
        try await voyager.store.refund("2")
        voyager.clock.advance(by: 60)
        store.onUnfinished = { () throws(StoreError) in [] }
        let later = try await makeReader(store: store)
        await later.loadProducts()

        #expect(
            try await self.entries.map(\.fact.kind) == [
                .receipt, .purchase, .purchase, .appPurchase, .receipt, .revocation,
            ])
        let check = try await later.checkLedger()
        #expect(check.isGood, "\(check)")
        let document = try LedgerDocument(json: await later.exportLedger().json())
        // Another device, another version of the app, and after the receipt's end.
        let otherDevice = AppReceiptVerifier(
            roots: try TrustedRoots(pem: voyager.store.receiptRootCertificate),
            bundleIdentifier: VoyagerStore.bundleIdentifier, appVersion: "9", environment: .sandbox,
            deviceIdentifier: Data([1]))
        let clock = voyager.clock
        let other = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: store, verifier: voyager.verifier(),
            home: Home(url: folder["other"]),
            options: ManagerOptions(
                schedule: .never, receipts: ReceiptOptions(verifier: otherDevice, readsAtLaunch: false),
                now: { clock.now }))
        #expect(try await other.importLedger(document) == 6)
        #expect(try await other.importLedger(document) == 0)
        #expect(other.ownership(of: .voyager("lisbon")).isOwned)
        #expect(!other.ownership(of: .voyager("porto")).isOwned)
        #expect(try await other.checkLedger().isGood)
    }

    struct Forgery: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Changes the entries of a receipt, a purchase, a revocation, and how the app was got.
        let change: @Sendable (inout [LedgerEntry]) -> Void
    }

    private static func changing(
        _ name: String, _ kind: Fact.Kind, _ change: @escaping @Sendable (inout Fact) -> Void
    ) -> Forgery {
        Forgery(testDescription: name) { entries in
            entries = entries.map { entry in
                guard entry.fact.kind == kind else { return entry }
                var fact = entry.fact
                change(&fact)
                return LedgerEntry(sequence: entry.sequence, recordedAt: entry.recordedAt, fact: fact)
            }
        }
    }

    private static let forgeries = [
        changing("another product", .purchase) { fact in
            guard case .purchase(var purchase) = fact else { return }
            purchase.origin.productIdentifier = .voyager("everything")
            fact = .purchase(purchase)
        },
        changing("another transaction", .purchase) { fact in
            guard case .purchase(var purchase) = fact else { return }
            (purchase.origin.purchaseID, purchase.origin.transactionID) = ("77", "77")
            fact = .purchase(purchase)
        },
        changing("a later date", .purchase) { fact in
            guard case .purchase(var purchase) = fact else { return }
            purchase.origin.signedDate += 86_400
            fact = .purchase(purchase)
        },
        changing("another kind", .purchase) { fact in
            guard case .purchase(var purchase) = fact else { return }
            purchase.kind = .autoRenewableSubscription
            fact = .purchase(purchase)
        },
        changing("shared by a family", .purchase) { fact in
            guard case .purchase(var purchase) = fact else { return }
            purchase.isFamilyShared = true
            fact = .purchase(purchase)
        },
        changing("another purchase taken back", .revocation) { fact in
            guard case .revocation(var revocation) = fact else { return }
            revocation.origin.purchaseID = "1"
            fact = .revocation(revocation)
        },
        changing("a version that nobody said", .appPurchase) { fact in
            guard case .appPurchase(var purchase) = fact else { return }
            purchase.original.version = "1"
            fact = .appPurchase(purchase)
        },
        changing("another receipt under the digest", .receipt) { fact in
            guard case .receipt(var receipt) = fact else { return }
            receipt.signedData = Data("a receipt".utf8).base64EncodedString()
            fact = .receipt(receipt)
        },
        changing("a digest that is not the receipt's", .receipt) { fact in
            guard case .receipt(var receipt) = fact else { return }
            receipt.digest = (receipt.digest.first == "0" ? "1" : "0") + receipt.digest.dropFirst()
            fact = .receipt(receipt)
        },
        changing("a receipt of another date", .receipt) { fact in
            guard case .receipt(var receipt) = fact else { return }
            receipt.signedDate += 1
            fact = .receipt(receipt)
        },
        Forgery(testDescription: "no receipt") { $0.removeAll { $0.fact.kind == .receipt } },
    ]

    @Test(arguments: forgeries)
    func `nothing is imported that no receipt says`(_ forgery: Forgery) async throws {
        try await voyager.store.setOriginalPurchase(
            OriginalPurchase(version: "500", date: Date(timeIntervalSince1970: 1_556_668_800), platform: .iOS))
        for name in ["lisbon", "porto"] { try await buyElsewhere(name) }
        try await voyager.store.refund("2")
        var store = InterceptedStore(voyager.store)
        store.onAppTransaction = { () throws(StoreError) in nil }
        store.onUnfinished = { () throws(StoreError) in [] }
        let manager = try await makeReader(store: store)
        await manager.loadProducts()
        var document = try await manager.exportLedger()
        #expect(document.entries.map(\.fact.kind) == [.receipt, .purchase, .revocation, .appPurchase])
        forgery.change(&document.entries)

        let (clock, verifier) = (voyager.clock, try voyager.receiptVerifier())
        let other = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: store, verifier: voyager.verifier(),
            home: Home(url: folder["other"]),
            options: ManagerOptions(
                schedule: .never, receipts: ReceiptOptions(verifier: verifier, readsAtLaunch: false),
                now: { clock.now }))
        let error = await #expect(throws: LedgerImportError.self) { try await other.importLedger(document) }
        #expect(error?.code == .notTrusted)
        #expect(try await other.history().isEmpty)
    }

    @Test func `whoever has to agree to a receipt is asked when it comes from another device`() async throws {
        try await buyElsewhere("lisbon")
        let manager = try await makeReader()
        await manager.loadProducts()
        let document = try await manager.exportLedger()
        for (reasons, isTrusted) in [([], true), ([RejectionReason(code: .app, detail: "no")], false)] {
            let (clock, base) = (voyager.clock, try voyager.receiptVerifier())
            let other = try await CatalogManager(
                catalog: .file(Repository.sample("Voyager.plist")), store: voyager.store,
                verifier: voyager.verifier(), home: Home(url: folder["other \(isTrusted)"]),
                options: ManagerOptions(
                    schedule: .never,
                    receipts: ReceiptOptions(
                        verifier: Agreeing(base: base, reasons: reasons), readsAtLaunch: false),
                    now: { clock.now }))
            if isTrusted {
                #expect(try await other.importLedger(document) == 2)
            } else {
                await #expect(throws: LedgerImportError.self) { try await other.importLedger(document) }
                #expect(try await other.history().isEmpty)
            }
            #expect(try await other.checkLedger().isGood)
        }
    }

    @Test func `a document that nobody could read is not written`() async throws {
        try await buyElsewhere("lisbon")
        let manager = try await makeReader()
        await manager.loadProducts()
        let document = try await manager.exportLedger()
        let size = try document.json().count

        #expect(try document.json(limit: size).count == size)
        let error = #expect(throws: LedgerError.self) { try document.json(limit: size - 1) }
        #expect(error?.code == .tooLarge)
    }

    @Test func `who has nothing to verify receipts with trusts none of what was read from them`() async throws {
        try await buyElsewhere("lisbon")
        await (try await makeReader()).loadProducts()
        let manager = try await makeReader()
        let document = try await manager.exportLedger()
        let other = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.store, verifier: voyager.verifier(),
            home: Home(url: folder["other"]), options: ManagerOptions(schedule: .never))

        await #expect(throws: LedgerImportError.self) { try await other.importLedger(document) }
        let judging = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.store, verifier: voyager.verifier(),
            home: Home(url: folder["judging"]),
            options: ManagerOptions(
                hooks: AppHooks(verification: { _ in .verified }), schedule: .never,
                receipts: ReceiptOptions(verifier: voyager.receiptVerifier())))
        await #expect(throws: LedgerImportError.self) { try await judging.importLedger(document) }
    }

    @Test func `what a receipt has and the catalog has not waits for a later catalog`() async throws {
        try await buyElsewhere("lisbon")
        let first = try await makeReader(catalog: .catalog(Catalog(products: [])))
        let events = try await events(of: first) { await first.loadProducts() }
        #expect(events.receiptWords == ["good: 1", "waits: com.example.voyager.lisbon is not in the catalog"])
        #expect(first.ownedProducts.isEmpty)

        let second = try await makeReader()
        await second.loadProducts()
        #expect(second.ownership(of: .voyager("lisbon")).isOwned)
    }

    // MARK: How the app was got

    private func store(
        appTransaction: String?, original: OriginalPurchase?
    ) async throws -> InterceptedStore {
        if let original { try await voyager.store.setOriginalPurchase(original) }
        let receipt = try await voyager.store.refreshAppReceipt(ReceiptRequest())
        var store = InterceptedStore(voyager.store)
        store.onAppTransaction = { () throws(StoreError) in appTransaction }
        store.onAppReceipt = { () throws(StoreError) in receipt }
        return store
    }

    private func first(_ version: String) -> OriginalPurchase {
        OriginalPurchase(version: version, date: Date(timeIntervalSince1970: 1_556_668_800), platform: .iOS)
    }

    @Test func `where no app transaction tells, the receipt tells which version came first`() async throws {
        let manager = try await makeReader(store: store(appTransaction: nil, original: first("150"))) {
            $0.sandboxOriginalVersion = .asSigned
        }
        let events = try await events(of: manager) { await manager.loadProducts() }

        #expect(manager.originalPurchasedVersion == "150")
        #expect(events.contains { if case .originalPurchaseKnown = $0 { true } else { false } })
        #expect(try await self.entries.map(\.fact.kind) == [.receipt, .appPurchase])
    }

    @Test(arguments: ["the store fails", "it cannot be trusted"])
    func `a receipt decides nothing about the app while its app transaction cannot be had`(_ failure: String)
        async throws
    {
        var store = try await store(appTransaction: "a.b.c", original: first("150"))
        if failure == "the store fails" {
            store.onAppTransaction = { () throws(StoreError) in
                throw StoreError(code: .network, reason: "no network")
            }
        }
        let manager = try await makeReader(store: store)
        let events = try await events(of: manager) { await manager.loadProducts() }
        #expect(events.contains { if case .appTransactionFailed = $0 { true } else { false } })
        #expect(manager.originalPurchasedVersion == nil)
        #expect(try await self.entries.isEmpty)

        let next = try await makeReader(store: self.store(appTransaction: nil, original: first("150")))
        await next.loadProducts()
        #expect(next.originalPurchasedVersion == "150")
    }

    @Test func `a later receipt that says the same of the app is not recorded`() async throws {
        for _ in 1...3 {
            voyager.clock.advance(by: 60)
            let store = try await store(appTransaction: nil, original: first("150"))
            await (try await makeReader(store: store)).loadProducts()
        }

        #expect(try await self.entries.map(\.fact.kind) == [.receipt, .appPurchase])
    }

    @Test func `an app transaction wins over a receipt, before and after`() async throws {
        try await voyager.store.setOriginalPurchase(first("500"))
        let signed = try #require(try await voyager.store.appTransaction())
        for appTransaction in [nil, signed, nil] {
            voyager.clock.advance(by: 60)
            let store = try await store(appTransaction: appTransaction, original: first("150"))
            let manager = try await makeReader(store: store)
            await manager.loadProducts()
        }

        let manager = try await makeReader()
        #expect(manager.originalPurchasedVersion == "500")
        #expect(try await self.entries.map(\.fact.kind) == [.receipt, .appPurchase, .appPurchase])
    }

    @Test(
        arguments: [
            (SandboxOriginalVersion.unknown, nil), (.override("150"), "150"), (.asSigned, "1.0"),
        ] as [(SandboxOriginalVersion, String?)])
    func `what the sandbox names for everybody counts in a receipt as in an app transaction`(
        choice: SandboxOriginalVersion, version: String?
    ) async throws {
        let manager = try await makeReader(store: store(appTransaction: nil, original: first("1.0"))) {
            $0.sandboxOriginalVersion = choice
        }
        await manager.loadProducts()

        #expect(manager.originalPurchasedVersion == version)
        #expect(try await manager.checkLedger().isGood)
    }
}

private struct Rejecting: ReceiptVerifier {
    let reasons: [RejectionReason]

    func verify(receipt data: Data) async -> Verification<SignedAppReceipt> { .rejected(reasons) }
}

/// Somebody else has to agree to what is new here.
private struct Agreeing: ReceiptVerifier {
    let base: AppReceiptVerifier
    let reasons: [RejectionReason]

    func verify(receipt data: Data) async -> Verification<SignedAppReceipt> {
        reasons.isEmpty ? await base.verify(receipt: data) : .rejected(reasons)
    }

    func verify(kept data: Data) async -> Verification<SignedAppReceipt> { await base.verify(kept: data) }

    func verify(moved data: Data) async -> Verification<SignedAppReceipt> {
        reasons.isEmpty ? await base.verify(kept: data) : .rejected(reasons)
    }
}

/// Can be read, and takes nothing.
private struct FullLedger: Ledger {
    private let base = MemoryLedger()

    func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry] {
        throw LedgerError(code: .unavailable, reason: "the disk is full")
    }

    func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry] {
        await base.entries(after: sequence)
    }

    func lastSequence() async throws(LedgerError) -> Int64 { await base.lastSequence() }

    func entry(of kind: Fact.Kind, key: String) async throws(LedgerError) -> LedgerEntry? {
        await base.entry(of: kind, key: key)
    }

    func isRevoked(_ purchaseID: String) async throws(LedgerError) -> Bool { await base.isRevoked(purchaseID) }

    func standing() async throws(LedgerError) -> LedgerStanding { await base.standing() }

    func raise(_ name: String, to value: Int64) async throws(LedgerError) -> Int64 {
        throw LedgerError(code: .unavailable, reason: "the disk is full")
    }

    func highest(_ name: String) async throws(LedgerError) -> Int64? { try await base.highest(name) }

    func keep(_ data: Data, as name: String) async throws(LedgerError) {
        throw LedgerError(code: .unavailable, reason: "the disk is full")
    }

    func kept(_ name: String) async throws(LedgerError) -> Data? { try await base.kept(name) }
}

private struct Undecided: ReceiptVerifier {
    func verify(receipt data: Data) async -> Verification<SignedAppReceipt> { .undetermined("the server is silent") }
}

extension ReceiptFailure {
    fileprivate var word: String {
        switch self {
        case .missing: "missing"
        case .rejected(let reasons): "rejected: " + reasons.map(\.code.description).joined(separator: ", ")
        case .undetermined: "undetermined"
        case .store(let error): "store: \(error.code)"
        }
    }
}

extension [CatalogEvent] {
    fileprivate var receiptWords: [String] {
        compactMap { event in
            switch event {
            case .receiptDidValidate(let signed): "good: \(signed.receipt.purchases.count)"
            case .receiptValidationDidFail(let failure): failure.word
            case .receiptPurchaseWaits(let unrecorded): "waits: \(unrecorded.reason)"
            default: nil
            }
        }
    }
}
