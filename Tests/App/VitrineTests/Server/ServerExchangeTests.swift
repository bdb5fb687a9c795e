import Crypto
import Foundation
import Testing
import VitrineDeviceExchange
import VitrineEntitlements
import VitrineNetworking
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Devices that enroll at the app's own server and exchange there.
@Suite(.hangLimit) struct ServerExchangeTests: ServerScene {
    let stage: ServerStage

    init() async throws { stage = try await ServerStage() }

    private static let coins = String.voyager("coins50")

    @Test func `purchases and spending on one device reach the other device through the server`() async throws {
        let phone = try await makeDevice("phone")
        #expect(await buy("coins50", with: phone) == "charged")
        _ = try await phone.server.exchange()
        let tablet = try await makeDevice("tablet")
        _ = try await tablet.server.exchange()
        #expect(tablet.wallets.balance(for: "coins") == .known(50))
        try await tablet.wallets.spend(20, from: "coins", token: "a")
        _ = try await tablet.server.exchange()
        _ = try await phone.server.exchange()
        #expect(phone.wallets.balance(for: "coins") == .known(30))
        #expect(try await phone.devices.all().map(\.name) == ["phone", "tablet"])
    }

    @Test
    func `units are leased with exclusive access granted by the server, and can be leased again after their release`()
        async throws
    {
        let phone = try await makeDevice("phone")
        #expect(await buy("coins50", with: phone) == "charged")
        let end = voyager.clock.now + 86_400
        try await phone.server.lease(20, of: "coins", token: "trip", until: end)
        let stored = server.received.filter { $0.method == "PUT" }
        #expect(stored.last?.headers["vitrine-exchange-lock"] == "lock-\(server.number(of: "lock"))")
        #expect(server.value(\.locks).isEmpty)

        let tablet = try await makeDevice("tablet")
        let error = await #expect(throws: ExchangeError.self) {
            try await tablet.server.lease(31, of: "coins", token: "more", until: end)
        }
        #expect(error?.code == .insufficientFunds)
        #expect(server.value(\.locks).isEmpty)
        try await phone.server.release("trip")
        try await tablet.server.lease(50, of: "coins", token: "all", until: end)
    }

    @Test func `an exchange without new facts makes one request to the server`() async throws {
        let phone = try await makeDevice("phone")
        _ = try await phone.server.exchange()
        let before = server.requests.count
        _ = try await phone.server.exchange()
        #expect(server.requests.dropFirst(before) == ["GET /v1/me/documents"])
    }

    @Test func `an expired access token is renewed once, for the same device`() async throws {
        let phone = try await makeDevice("phone")
        _ = try await phone.server.exchange()
        let device = try #require(try credentials("phone")?.enrollment?.device)
        server.endTokens()
        let before = server.requests.count
        _ = try await phone.server.exchange()
        #expect(
            server.requests.dropFirst(before) == [
                "GET /v1/me/documents", "GET /v1/challenge", "POST /v1/devices/me/token", "GET /v1/me/documents",
            ])
        #expect(try credentials("phone")?.enrollment?.device == device)
    }

    @Test func `a device that its server has forgotten starts over and enrolls again with the same key`() async throws {
        let phone = try await makeDevice("phone")
        #expect(await buy("coins50", with: phone) == "charged")
        _ = try await phone.server.exchange()
        let key = try credentials("phone")?.privateKey
        server.change { state in
            state.tokens = [:]
            state.devices = [:]
        }
        _ = await #expect(throws: ExchangeError.self) { try await phone.server.exchange() }
        // Without an app transaction, no server can tell that it is the same customer: the app says so.
        try await phone.devices.startOver()
        _ = try await phone.server.exchange()
        #expect(try credentials("phone")?.privateKey == key)
        #expect(phone.wallets.balance(for: "coins") == .known(50))
    }

    @Test func `when customers are merged, the exchange starts over automatically and both devices share a balance`()
        async throws
    {
        let (phone, tablet) = (try await makeDevice("phone"), try await makeDevice("tablet"))
        #expect(await buy("coins50", with: phone) == "charged")
        for device in [phone, tablet] { _ = try await device.server.exchange() }
        try await tablet.wallets.spend(10, from: "coins", token: "a")
        server.merge()
        for device in [phone, tablet, phone] { _ = try await device.server.exchange() }
        for device in [phone, tablet] { #expect(device.wallets.balance(for: "coins") == .known(40)) }
        // The old key does not open anything that was stored since.
        #expect(server.value(\.documents).count == 2)
    }

    @Test func `a merge of customers during an exchange is detected`() async throws {
        let phone = try await makeDevice("phone")
        _ = try await phone.server.exchange()
        #expect(await buy("coins50", with: phone) == "charged")
        server.merge()
        server.answerNext("GET", "/v1/me/documents", .json("{\"names\":[]}"))
        #expect(try await phone.server.exchange().sent > 0)
        let customer = try #require(try phone.server.customer)
        #expect(server.value(\.documents)[customer.uuidString]?.isEmpty == false)
    }

    @Test func `a request to spend goes on for the customer with whom the server has merged the device's customer`()
        async throws
    {
        let phone = try await makeDevice("phone")
        try await phone.server.enroll()
        let former = try phone.server.customer
        server.merge()
        let refused = SampleServer.errorResponse(401, "unauthenticated", "The token is not valid.")
        server.answerNext("POST", "/v1/me/wallets/coins/debits", refused)
        server.answerNext(
            "POST", "/v1/me/wallets/coins/debits", .json(#"{"isNew":true,"balance":40,"sequence":2}"#, status: 201))
        let debit = try await phone.server.spend(10, from: "coins", token: "map")
        #expect((debit.isNew, debit.balance) == (true, 40))
        #expect(try phone.server.customer != former)
    }

    @Test func `a request to spend does not go on for another customer`() async throws {
        let phone = try await makeDevice("phone")
        try await phone.server.enroll(accountToken: "first")
        server.answerNext("DELETE", "/v1/devices/me/account", .reset)
        await #expect(throws: AppServerError.self) { try await phone.server.unlink() }
        // The server has ended the link, although its reply was lost.
        server.merge()
        let error = await #expect(throws: AppServerError.self) {
            try await phone.server.spend(10, from: "coins", token: "map")
        }
        #expect(error?.code == .customerChanged)
        #expect(server.requests.count { $0 == "POST /v1/me/wallets/coins/debits" } == 1)
    }

    @Test func `a device that logs in to a second account does not publish purchases of the first account`()
        async throws
    {
        let phone = try await makeDevice("phone")
        #expect(await buy("coins50", with: phone) == "charged")
        _ = try await phone.server.exchange()
        // Without an account before, the one who logs in is the same person.
        try await phone.server.enroll(accountToken: "first")
        _ = try await phone.server.exchange()
        try await phone.server.enroll(accountToken: "second")
        let second = try #require(try phone.server.customer)
        for _ in 0..<2 {
            let error = await #expect(throws: ExchangeError.self) { try await phone.server.exchange() }
            #expect(error?.code == .otherCustomer)
            // Also after the second customer was merged with a third.
            server.merge()
        }
        #expect(server.value(\.documents)[second.uuidString] == nil)
    }

    @Test func `a device that leaves is removed from the server and deletes its key`() async throws {
        let phone = try await makeDevice("phone")
        _ = try await phone.server.exchange()
        try await phone.server.leave()
        #expect(server.value(\.devices).isEmpty)
        #expect(try credentials("phone") == nil)
        #expect(try phone.server.customer == nil)
    }

    @Test func `a device that has enrolled and never exchanged publishes its facts when it leaves`() async throws {
        let phone = try await makeDevice("phone")
        _ = await phone.purchase(Self.coins)
        try await phone.server.enroll()
        let customer = try #require(try phone.server.customer)
        let before = server.requests.count
        try await phone.server.leave()
        #expect(server.value(\.devices).isEmpty)
        #expect(server.value(\.documents)[customer.uuidString]?.count == 2)
        // One exchange: a list before it publishes, and one after it.
        #expect(server.requests.dropFirst(before).count { $0 == "GET /v1/me/documents" } == 2)
        #expect(try credentials("phone") == nil)
    }

    @Test func `a device whose enrollment could not be ended leaves with a second call`() async throws {
        let phone = try await makeDevice("phone")
        _ = try await phone.server.exchange()
        server.answerNext("DELETE", "/v1/devices/me", .reset)
        let error = await #expect(throws: ExchangeError.self) { try await phone.server.leave() }
        #expect(error?.code == .transport)
        #expect(server.value(\.devices).count == 1)
        try await phone.server.leave()
        #expect(server.value(\.devices).isEmpty)
        #expect(try credentials("phone") == nil)
    }

    @Test func `a device that has not enrolled cannot leave, and is not enrolled by the attempt`() async throws {
        let phone = try await makeDevice("phone")
        let error = await #expect(throws: ExchangeError.self) { try await phone.server.leave() }
        #expect(error?.code == .invalid)
        #expect(server.requests.isEmpty)
    }

    @Test func `each purchase of an enrolled device carries the customer's identifier, unless it has an account token`()
        async throws
    {
        let tokens = Recorder<UUID?>()
        var store = InterceptedStore(voyager.store)
        let base = voyager.store
        store.onPurchase = { identifier, options throws(StoreError) in
            tokens.record(options.accountToken)
            return try await base.purchase(identifier, options: options)
        }
        let phone = try await makeDevice("phone", store: store)
        _ = await phone.purchase(Self.coins)
        try await phone.server.enroll()
        let customer = try #require(try phone.server.customer)
        _ = await phone.purchase(Self.coins)
        let account = UUID()
        _ = await phone.purchase(Self.coins, options: PurchaseOptions(accountToken: account))
        #expect(tokens.values == [nil, customer, account])
        let silent = try await makeDevice("silent", store: store) { $0.server?.namesCustomer = false }
        try await silent.server.enroll()
        _ = await silent.purchase(Self.coins)
        #expect(tokens.values.last == .some(nil))
    }

    @Test func `signed data is reported to the app's server once, and again if the server's verdict was undetermined`()
        async throws
    {
        let phone = try await makeDevice("phone")
        #expect(await buy("coins50", with: phone) == "charged")
        #expect(await buy("lisbon", with: phone) == "charged")
        let signed = try await phone.server.signedData()
        #expect(signed.count == 2)
        server.answerNext(
            "POST", "/v1/me/signed", .json(#"{"results":[{"result":"accepted"},{"result":"undetermined"}]}"#))
        let first = try await phone.server.report()
        #expect(first.map(\.result) == [.accepted, .undetermined])
        let again = try await phone.server.report()
        #expect(again.map(\.result) == [.accepted])
        let before = server.requests.count
        #expect(try await phone.server.report().isEmpty)
        #expect(server.requests.count == before)

        // A refund is signed anew, and says something else.
        let transactions = try await voyager.store.knownTransactions()
        try await voyager.store.refund(try #require(transactions.first).id)
        #expect(try await phone.server.report().count == 1)
    }

    @Test func `the customer state is requested with its entity tag, and each response is signed`() async throws {
        let phone = try await makeDevice("phone")
        server.change { $0.customerState = Data(#"{"owned":[]}"#.utf8) }
        let first = try await phone.server.customerState()
        #expect(first.body == Data(#"{"owned":[]}"#.utf8))
        let same = try await phone.server.customerState(after: first)
        #expect(same.body == first.body)
        #expect(server.received.last?.headers["if-none-match"] == first.tag)
        let key = server.signingKey.publicKey.rawRepresentation
        for customerState in [first, same] {
            #expect(customerState.isSigned(by: key))
            #expect(!customerState.isSigned(by: Data(repeating: 7, count: 32)))
        }
        #expect(first.signature != same.signature)
        server.change { $0.customerState = Data(#"{"owned":[1]}"#.utf8) }
        #expect(try await phone.server.customerState(after: same).body == Data(#"{"owned":[1]}"#.utf8))
    }
}
