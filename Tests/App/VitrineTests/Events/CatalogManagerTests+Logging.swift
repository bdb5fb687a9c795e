import Foundation
import Logging
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

extension CatalogManagerTests {
    @Test func `purchases, accounts and devices of a customer are not named in log messages of level info and above`()
        async throws
    {
        let (logger, lines) = RecordingLog.make()
        // Its transactions have long numbers, as those of the App Store.
        let customer = try VoyagerStore(seed: 7)
        let clock = customer.clock
        let account = UUID()
        var store = InterceptedStore(customer.store)
        let forged = Recorder<StoreTransaction>()
        store.onUnfinished = { () async throws(StoreError) in
            try await customer.store.unfinishedTransactions() + forged.values
        }
        let receipts = try customer.receiptVerifier()
        let verdicts = Recorder<AppVerification>()
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: store, verifier: customer.verifier(),
            home: Home(url: folder["home"]), content: PackageFolder(url: Repository.samplePackages),
            options: ManagerOptions(now: { clock.now }) {
                $0.purchases.hooks = AppHooks(verification: { signed in verdicts.values.last ?? .verified })
                $0.purchases.receipts = ReceiptOptions(verifier: receipts)
                $0.logger = logger
            })
        try await customer.store.fail(.products, times: 1)
        await manager.loadProducts()
        await manager.loadProducts()
        for name in ["lisbon", "coins50", "rome"] {
            _ = await manager.purchase(.voyager(name), options: PurchaseOptions(accountToken: account))
        }
        let ids = try await customer.store.transactions().map(\.id)
        #expect(ids.count == 3)
        verdicts.record(.rejected("the server does not know \(ids[0]) of \(account)"))
        _ = await manager.purchase(.voyager("porto"), options: PurchaseOptions(accountToken: account))
        verdicts.record(.undetermined("the server of \(account) is away"))
        _ = await manager.purchase(.voyager("vienna"), options: PurchaseOptions(accountToken: account))
        _ = try await manager.restore()
        verdicts.record(.verified)
        forged.record(StoreTransaction(id: "398000000777", signedData: "forged"))
        try await customer.store.refund(ids[0])
        try await customer.store.fail(.finish, times: 1)
        await manager.purchases.deliverUnfinished()
        await manager.purchases.deliverUnfinished()
        try await manager.wallets.spend(10, from: "coins", token: "map")
        await manager.stop()

        let (loud, quiet) = (
            lines.values.filter { $0.level >= .info }, lines.values.filter { $0.level < .info }
        )
        let all = try await customer.store.transactions().map(\.id) + ["398000000777"]
        let device = customer.store.deviceIdentifier
        let secrets =
            all + [account.uuidString, account.uuidString.lowercased()]
            + [device.base64EncodedString(), device.map { String(format: "%02x", $0) }.joined()]
        for secret in secrets {
            let named = loud.map(\.fullText).filter { $0.contains(secret) }
            #expect(named == [], "\(secret)")
        }
        for secret in all + [account.uuidString] {
            #expect(quiet.contains { $0.fullText.contains(secret) }, "\(secret)")
        }
        #expect(quiet.contains { $0.metadata["original"] == "\(all[0])" })
        let texts = Set(loud.map(\.text))
        for text in [
            "loading status changed", "catalog updated", "products updated", "product request failed",
            "reload scheduled",
            "purchase answered", "restore completed", "content installed", "transaction recorded",
            "transaction finished", "transaction rejected", "transaction waits", "transaction revoked",
            "ownership changed",
        ] { #expect(texts.contains(text), "\(text)") }
        let rejections = lines.values.filter { $0.text == "transaction rejected" }
        #expect(Set(rejections.map(\.level)) == [.error, .debug])
    }

    @Test func `without a logger nothing is logged, and at level info no debug messages are logged`() async throws {
        let (logger, lines) = RecordingLog.make(level: .info)
        let silent = try await makeManager()
        await silent.loadProducts()
        await silent.stop()
        #expect(lines.values.isEmpty)

        let manager = try await makeManager { $0.logger = logger }
        await manager.loadProducts()
        await manager.stop()
        #expect(
            lines.values.map(\.fullText) == [
                "loading status changed status=productsLoading", "catalog updated count=12",
                "loading status changed status=listLoaded",
                "products updated unknown=com.example.voyager.atlantis", "loading status changed status=productsLoaded",
            ])
    }

    /// Events, each with the level and text of its first log line.
    private static let levels: [(CatalogEvent, Logger.Level, String)] = {
        let (store, ledger) = (
            StoreError(code: .network, reason: "transaction 7"),
            LedgerError(code: .unavailable, reason: "transaction 7")
        )
        let transaction = StoreTransaction(id: "7", signedData: "")
        let reason = RejectionReason(code: .app, reason: "transaction 7")
        // What was never verified may have anything in the place of a product.
        guard let signed = try? StoreTransaction.sample("7", claiming: "a") else {
            preconditionFailure("a transaction can be signed")
        }
        return [
            (
                .transaction(.waiting(signed, .handler("7"))), .warning,
                "transaction waits products=a reason=handler"
            ),
            (
                .transaction(.waiting(signed, .verification("7"))), .warning,
                "transaction waits reason=verification"
            ), (.transaction(.rejected(signed, [reason])), .error, "transaction rejected error=rejected reason=app"),
            (.transaction(.discarded(signed)), .info, "transaction discarded"),
            (.transaction(.received(signed)), .debug, "transaction received products=a transaction=7"),
            (.ledger(.failed(ledger)), .error, "ledger not usable error=unavailable"),
            (.transaction(.rejected(transaction, [reason])), .error, "transaction rejected error=rejected reason=app"),
            (.receipt(.validationFailed(.rejected([reason]))), .error, "receipt validation failed error=app"),
            (.receipt(.validationFailed(.missing)), .error, "receipt validation failed error=missing"),
            (
                .purchase(.answered("a", .failed(PurchaseFailure(code: .rejected, reason: "7")))), .error,
                "purchase answered answer=failed error=rejected products=a"
            ),
            (.loading(.productsFailed(store)), .warning, "product request failed error=network"),
            (
                .loading(.unfinishedTransactionsFailed(store)), .warning,
                "request for unfinished transactions failed error=network"
            ),
            (.restore(.failed(store)), .warning, "restore failed error=network"),
            (.loading(.purchasesFailed(store)), .warning, "request for purchases failed error=network"),
            (.loading(.productsNotStored(ledger)), .warning, "products not stored on the device error=unavailable"),
            (.transaction(.waiting(transaction, .handler("7"))), .warning, "transaction waits reason=handler"),
            (
                .entitlements(.appTransactionFailed(.undetermined("7"))), .warning,
                "app transaction not usable error=undetermined"
            ),
            (.eventsMissed(3), .warning, "events missed by a listener count=3"),
            (.purchase(.answered("a", .cancelled)), .info, "purchase answered answer=cancelled products=a"),
            (
                .purchase(.answered("a", .pending(.askToBuy))), .info,
                "purchase answered answer=pending: ask-to-buy products=a"
            ),
            (
                .purchase(.answered("a", .pending(.planChange(at: .distantPast)))), .info,
                "purchase answered answer=pending: plan-change products=a"
            ),
            (.entitlements(.ownershipChanged(["a", "b"])), .info, "ownership changed products=a b"),
            (.content(.removed(["a"])), .info, "content removed products=a"),
            (.transaction(.discarded(transaction)), .info, "transaction discarded"),
            (.listingChanged([]), .debug, "product listing changed count=0"),
            (
                .entitlements(.walletChanged("coins", balance: .known(7))), .debug,
                "wallet changed balance=7 wallet=coins"
            ),
            (.transaction(.received(transaction)), .debug, "transaction received transaction=7"),
        ]
    }()

    @Test(arguments: levels.indices)
    func `each event is logged with its level and its text, and further details only at level debug`(index: Int)
        async throws
    {
        let (event, level, text) = Self.levels[index]
        let (logger, lines) = RecordingLog.make()
        let source = EventSource()
        let logging = EventLog(logger).follow(source.listener())
        source.send(event)
        source.finish()
        await logging.value

        #expect(lines.values.first?.level == level)
        #expect(lines.values.first?.fullText == text)
        #expect(lines.values.dropFirst().allSatisfy { $0.level == .debug })
    }
}
