import Foundation
import GRDB
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct SimulatedStoreTests {
    let voyager: VoyagerStore
    var store: SimulatedStore { voyager.store }

    init() throws { voyager = try VoyagerStore() }

    func buy(_ name: String, quantity: Int = 1, accountToken: UUID? = nil) async throws -> StoreTransaction {
        let options = PurchaseOptions(quantity: quantity, accountToken: accountToken)
        guard let transaction = try await store.purchase(.voyager(name), options: options).transaction else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        return transaction
    }

    func payload(_ transaction: StoreTransaction) async throws -> TransactionPayload {
        guard case .verified(let signed) = try await voyager.verifier().verify(transaction: transaction.signedData)
        else { throw StoreError(code: .unavailable, reason: "not verified") }
        return signed.payload
    }

    @Test func `loading products returns known products and omits unknown identifiers`() async throws {
        let products = try await store.products(for: ["lisbon", "atlantis", "coins50"].map(String.voyager))

        #expect(products.map(\.identifier) == ["lisbon", "coins50"].map(String.voyager))
        let guide = try #require(products.first)
        #expect(guide.kind == .nonConsumable)
        #expect(guide.displayName == "Lisbon Guide")
        #expect(guide.description == "A city guide to Lisbon")
        #expect(guide.price == Decimal(string: "4.99"))
        #expect(guide.currencyCode == "USD")
        #expect(guide.displayPrice == "$4.99")
    }

    @Test(
        arguments: [
            ("DEU", "de", "EUR", "4,99 €", "Reiseführer Lissabon"), ("JPN", "ja", "JPY", "¥5", "Lisbon Guide"),
        ]
    )
    func `the storefront and locale determine a product's currency, price and language`(
        storefront: String, locale: String, currency: String, price: String, title: String
    ) async throws {
        let folder = try TemporaryFolder()
        let text = try String(contentsOf: Repository.sample("Voyager.storekit"), encoding: .utf8)
            .replacing("\"USA\"", with: "\"\(storefront)\"")
            .replacing("\"_locale\" : \"en_US\"", with: "\"_locale\" : \"\(locale)\"")
        try SimulatedStore.create(
            in: folder["Store"], configuration: Data(text.utf8), bundleIdentifier: VoyagerStore.bundleIdentifier)
        let product = try await SimulatedStore(folder: folder["Store"]).products(for: [.voyager("lisbon")])[0]

        #expect(product.currencyCode == currency)
        #expect(product.displayPrice.replacing("\u{A0}", with: " ").replacing("￥", with: "¥") == price)
        #expect(product.displayName == title)
    }

    @Test func `a signed purchase contains its app, product, quantity, price and date`() async throws {
        let transaction = try await buy("coins50", quantity: 3)
        let payload = try await payload(transaction)

        #expect(payload.transactionID == transaction.id)
        #expect(payload.originalTransactionID == transaction.id)
        #expect(payload.bundleIdentifier == VoyagerStore.bundleIdentifier)
        #expect(payload.productIdentifier == .voyager("coins50"))
        #expect(payload.quantity == 3)
        #expect(payload.type == .consumable)
        #expect(payload.environment == .sandbox)
        #expect(payload.purchaseDate == voyager.clock.now)
        #expect(payload.signedDate == voyager.clock.now)
        #expect(payload.price == 2_970)
        #expect(payload.currency == "USD")
        #expect(payload.storefront == "USA")
        #expect(payload.ownershipType == .purchased)
        #expect(payload.appAccountToken == nil)
    }

    @Test func `a signed purchase contains the account token that the app passes`() async throws {
        let token = UUID()
        let bought = try await buy("coins50", accountToken: token)
        #expect(try await payload(bought).appAccountToken == token)
        #expect(try await store.transactions().map(\.accountToken) == [token])

        let sentAgain = try #require(try await voyager.reopened().unfinishedTransactions().first)
        #expect(try await payload(sentAgain).appAccountToken == token)
    }

    @Test(
        arguments: [("coins50", 0), ("coins50", 11), ("coins50", -1), ("lisbon", 2)]
    )
    func `a purchase with an invalid quantity is refused`(name: String, quantity: Int) async throws {
        let error = await #expect(throws: StoreError.self) {
            try await store.purchase(.voyager(name), quantity: quantity)
        }
        #expect(error?.code == .invalidQuantity)
        #expect(try await store.transactions().isEmpty)
    }

    @Test func `the purchase of an unknown product is refused`() async throws {
        let error = await #expect(throws: StoreError.self) {
            try await store.purchase(.voyager("atlantis"), quantity: 1)
        }
        #expect(error?.code == .productNotAvailable)
    }

    @Test func `buying an owned product again is not charged`() async throws {
        let first = try await buy("lisbon")
        try await store.finish(first)
        voyager.clock.advance(by: 60)
        let second = try await buy("lisbon")

        #expect(second.id == first.id)
        #expect(try await payload(second).purchaseDate == payload(first).purchaseDate)
        #expect(try await payload(second).signedDate == voyager.clock.now)
        #expect(try await store.transactions().count == 1)
    }

    @Test func `buying a consumable again returns the unfinished transaction until it is finished`() async throws {
        let first = try await buy("coins50")
        #expect(try await buy("coins50").id == first.id)
        try await store.finish(first)

        #expect(try await buy("coins50").id != first.id)
        #expect(try await store.transactions().count == 2)
    }

    @Test func `unfinished transactions remain after a restart until they are finished`() async throws {
        let (guide, coins) = (try await buy("lisbon"), try await buy("coins50"))
        let reopened = try voyager.reopened()
        #expect(try await reopened.unfinishedTransactions().map(\.id) == [guide.id, coins.id])

        try await reopened.finish(guide)
        try await reopened.finish(guide)
        #expect(try await store.unfinishedTransactions().map(\.id) == [coins.id])
        #expect(try await store.transactions().map(\.isFinished) == [true, false])
    }

    @Test func `finishing an unknown transaction is harmless`() async throws {
        _ = try await buy("lisbon")
        for id in ["99", "", "x", "1 OR 1"] {
            try await store.finish(StoreTransaction(id: id, signedData: ""))
        }
        #expect(try await store.unfinishedTransactions().count == 1)
    }

    @Test func `restoring returns finished non-consumables and no consumables`() async throws {
        #expect(try await store.restore().isEmpty)
        for name in ["lisbon", "coins50", "everything"] { try await store.finish(try await buy(name)) }

        var restored: [String] = []
        for transaction in try await store.restore() {
            restored.append(try await payload(transaction).productIdentifier)
        }
        #expect(restored == ["lisbon", "everything"].map(String.voyager))
    }

    @Test func `known transactions are those that can be restored, are refunded or are unfinished`() async throws {
        for name in ["lisbon", "coins500"] { try await store.finish(try await buy(name)) }
        let refunded = try await buy("coins500")
        try await store.finish(refunded)
        try await store.refund(refunded.id)
        try await store.finish(try await store.unfinishedTransactions()[0])
        let unfinished = try await buy("coins50")

        let known = try await store.knownTransactions()
        #expect(known.map(\.id) == ["1", refunded.id, unfinished.id])
        #expect(try await payload(known[1]).revocationDate != nil)
    }

    @Test func `a purchase on another device is always a new transaction`() async throws {
        for name in ["coins50", "lisbon"] {
            let first = try await buy(name)
            let second = try await store.purchaseElsewhere(.voyager(name))
            #expect(second.id != first.id)
            #expect(try await buy(name).id == first.id)
        }
        #expect(try await store.unfinishedTransactions().count == 4)
    }

    @Test
    func `the simulated store refuses a simulated purchase on another device if its product or quantity is invalid`()
        async throws
    {
        for (name, quantity) in [("atlantis", 1), ("lisbon", 2)] {
            await #expect(throws: StoreError.self) {
                try await store.purchaseElsewhere(.voyager(name), quantity: quantity)
            }
        }
        #expect(try await store.transactions().isEmpty)
    }

    @Test func `a purchase on another device is delivered as an update to every listener`() async throws {
        let (one, other) = (store.updates(), store.updates())
        try await store.purchaseElsewhere(.voyager("lisbon"))

        for stream in [one, other] {
            let transaction = try #require(await stream.first { _ in true })
            #expect(try await payload(transaction).productIdentifier == .voyager("lisbon"))
        }
    }

    @Test func `a failed write to the store's database is reported as a storage error`() async throws {
        let raw = try DatabaseQueue(path: voyager.folder["Store/store.sqlite"].path())
        try await raw.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER full BEFORE INSERT ON purchase
                    BEGIN SELECT RAISE(ABORT, 'database or disk is full'); END
                    """)
        }
        let error = await #expect(throws: StoreError.self) {
            try await store.purchase(.voyager("lisbon"), quantity: 1)
        }
        #expect(error?.code == .storage)
        #expect(
            error?.reason
                == "the state of the simulated store cannot be used: "
                + "a value to be written contradicts other data in the database"
        )
    }

    @Test func `a new configuration does not change the identity and transactions of a store`() async throws {
        let root = try store.rootCertificate
        _ = try await buy("lisbon")
        try SimulatedStore.create(
            in: voyager.folder["Store"], configuration: Data(#"{"version": {"major": 4, "minor": 0}}"#.utf8),
            bundleIdentifier: "com.example.other")
        let reopened = try voyager.reopened()

        #expect(try reopened.rootCertificate == root)
        #expect(reopened.bundleIdentifier == VoyagerStore.bundleIdentifier)
        #expect(try await reopened.transactions().count == 1)
        #expect(try await reopened.products(for: [.voyager("lisbon")]).isEmpty)
    }

    @Test func `each store has its own root certificate, and rejects the transactions of another store`() async throws {
        let other = try VoyagerStore()
        let transaction = try await buy("lisbon")

        #expect(try other.store.rootCertificate != store.rootCertificate)
        guard case .rejected(let reasons) = try await other.verifier().verify(transaction: transaction.signedData)
        else {
            Issue.record("the other store's transaction was not rejected")
            return
        }
        #expect(reasons.map(\.code) == [.certificateChain])
    }

    @Test func `newly created stores issue different transaction numbers`() async throws {
        let configuration = try Data(contentsOf: Repository.sample("Voyager.storekit"))
        var numbers: Set<String> = []
        for name in ["one", "two", "three"] {
            try SimulatedStore.create(
                in: voyager.folder[name], configuration: configuration, bundleIdentifier: "com.example.app")
            let store = try SimulatedStore(folder: voyager.folder[name])
            _ = try await store.purchase(.voyager("lisbon"), quantity: 1)
            numbers.formUnion(try await store.transactions().map(\.id))
        }
        #expect(numbers.count == 3)
    }

    @Test func `opening a folder without a store fails and leaves the folder unchanged`() throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: SimulatedStoreError.self) { try SimulatedStore(folder: folder["Store"]) }

        #expect(error?.code == .notFound)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()).isEmpty)
    }

    @Test func `an invalid configuration is refused, and the earlier configuration remains`() async throws {
        let error = #expect(throws: SimulatedStoreError.self) {
            try SimulatedStore.create(
                in: voyager.folder["Store"], configuration: Data("{}".utf8), bundleIdentifier: "com.example.app")
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(throws: SimulatedStoreError.self) {
            try SimulatedStore.create(
                in: voyager.folder["New"], configuration: Data("{}".utf8), bundleIdentifier: "com.example.app")
        }
        #expect(!FileManager.default.fileExists(atPath: voyager.folder["New"].path()))
        #expect(try await voyager.reopened().products(for: [.voyager("lisbon")]).count == 1)
    }

    @Test func `a store file that is not a database is reported as damaged`() throws {
        try voyager.folder.write(String(repeating: "garbage\n", count: 100), to: "Store/store.sqlite")
        let error = #expect(throws: SimulatedStoreError.self) { try voyager.reopened() }
        #expect(error?.code == .damaged)
    }

    @Test(arguments: [
        // Versions before the first release had no application ID.
        "PRAGMA application_id = 0", "PRAGMA application_id = 0; PRAGMA user_version = 10",
        "PRAGMA application_id = 0; PRAGMA user_version = 0", "PRAGMA application_id = 1", "PRAGMA user_version = 2",
    ])
    func `a store in another format is refused with the advice to create it again, and left unchanged`(
        marks: String
    ) throws {
        let file = voyager.folder["Store/store.sqlite"]
        let raw = try DatabaseQueue(path: file.path())
        try raw.write { try $0.execute(sql: marks) }
        try raw.close()
        let before = try Data(contentsOf: file)

        let error = #expect(throws: SimulatedStoreError.self) { try voyager.reopened() }
        #expect(error?.code == .damaged)
        #expect(
            error?.reason
                == "the state of the simulated store has a format that this version of Vitrine does not read; "
                + "delete the store's folder and create the store again")
        #expect(try Data(contentsOf: file) == before)
    }

    @Test func `an invalid row in the store's database is reported as an error`() async throws {
        let raw = try DatabaseQueue(path: voyager.folder["Store/store.sqlite"].path())
        try await raw.write { database in
            try database.execute(
                sql: """
                    DROP TABLE purchase;
                    CREATE TABLE purchase (id, productIdentifier, kind, quantity, purchaseDate, price, currency,
                        storefront, isFinished);
                    INSERT INTO purchase VALUES (1, 'a', 'loan', 1, 0, 0, 'USD', 'USA', 0);
                    """)
        }

        await #expect(throws: SimulatedStoreError.self) { try await store.transactions() }
        await #expect(throws: StoreError.self) { try await store.unfinishedTransactions() }
    }

    @Test func `the store's folder with the private key is accessible only to its owner`() throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: voyager.folder["Store"].path())
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
}
