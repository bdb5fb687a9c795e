import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineEntitlements
import VitrineReceipts
import VitrineTestSupport

/// Copies of one transaction that name different customers, because the app's server has changed the account token of the
/// purchase.
@Suite(.hangLimit) struct TransactionHolderTests {
    /// Server with the customers of two store accounts.
    private struct Scene {
        let database: ObservedDatabase
        let fixture: CustomersFixture
        let first: EnrolledDevice
        let second: EnrolledDevice

        init(_ kind: DatabaseKind, publishing catalog: Data? = nil) async throws {
            database = try await ObservedDatabase(kind)
            fixture = try await CustomersFixture(database: database, publishing: catalog)
            first = try await fixture.enroll(.init(), "A").device
            second = try await fixture.enroll(.init(), "B").device
        }

        /// Transaction of 50 coins that a store account has bought.
        func coins(
            naming customer: String?, signed: TimeInterval, isRefunded: Bool = false, account: String? = "A"
        ) throws -> String {
            try fixture.app.transaction(
                "coins50", id: "1", account: account, kind: .consumable, signed: .sample + signed
            ) {
                $0.purchaseDate = .sample - 60
                $0.appAccountToken = customer.flatMap(UUID.init(uuidString:))
                if isRefunded { $0.revocationDate = .sample + signed }
            }
        }

        /// Transaction of a guide that the store account C has bought, for whom no device has enrolled.
        func rome(naming customer: String?, signed: TimeInterval, isRefunded: Bool = false) throws -> String {
            try fixture.app.transaction("rome", id: "7", account: "C", signed: .sample + signed) {
                $0.appAccountToken = customer.flatMap(UUID.init(uuidString:))
                if isRefunded { $0.revocationDate = .sample + signed }
            }
        }

        func notify(_ transaction: String, _ id: String) async throws {
            let notification = try fixture.app.notification(.oneTimeCharge, id: id, transaction: transaction)
            #expect(try await fixture.receive(notification) == .recorded)
        }

        func coins(of customer: String) async throws -> Int {
            try await fixture.possessions(of: customer).wallets["coins"] ?? 0
        }
    }

    @Test(arguments: DatabaseKind.here)
    func `a purchase that is later named for another customer stays with its customer, and its refund reaches that one`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        let (first, second) = (scene.first.customer, scene.second.customer)
        try await scene.notify(scene.coins(naming: nil, signed: 0), "n1")
        try await scene.notify(scene.coins(naming: second, signed: 60), "n2")
        let answers = try await scene.fixture.records.record(
            signed: [scene.coins(naming: second, signed: 61)], from: scene.second)
        #expect(answers.map(\.result) == [.elsewhere])
        #expect(try await scene.coins(of: first) == 50)
        #expect(try await scene.coins(of: second) == 0)

        try await scene.notify(scene.coins(naming: second, signed: 120, isRefunded: true), "n3")
        #expect(try await scene.coins(of: first) == 0)
        #expect(try await scene.coins(of: second) == 0)
    }

    @Test(arguments: DatabaseKind.here)
    func `a copy without a name gives no other customer the purchase of the named customer`(_ kind: DatabaseKind)
        async throws
    {
        let scene = try await Scene(kind)
        let (first, second) = (scene.first.customer, scene.second.customer)
        try await scene.notify(scene.coins(naming: second, signed: 60), "n1")
        let answers = try await scene.fixture.records.record(
            signed: [scene.coins(naming: nil, signed: 0)], from: scene.first)
        #expect(answers.map(\.result) == [.elsewhere])
        #expect(try await scene.coins(of: first) == 0)
        #expect(try await scene.coins(of: second) == 50)
    }

    @Test(arguments: DatabaseKind.here)
    func `a purchase of a customer without devices goes to the named one, and stays there with the next name`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        try await scene.notify(scene.rome(naming: nil, signed: 0), "n1")
        try await scene.notify(scene.rome(naming: scene.second.customer, signed: 60), "n2")
        try await scene.notify(scene.rome(naming: scene.first.customer, signed: 90), "n3")
        #expect(try await scene.fixture.possessions(of: scene.second.customer).names == ["rome"])
        #expect(try await scene.fixture.possessions(of: scene.first.customer).names == [])

        try await scene.notify(scene.rome(naming: scene.first.customer, signed: 120, isRefunded: true), "n4")
        let third = try await scene.fixture.enroll(.init(), "C").device
        for customer in [scene.first.customer, scene.second.customer, third.customer] {
            #expect(try await scene.fixture.possessions(of: customer).names == [])
        }
    }

    @Test(arguments: DatabaseKind.here)
    func `a refund without a name that arrives before its purchase ends the purchase of the named customer`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        let (first, second) = (scene.first.customer, scene.second.customer)
        try await scene.notify(scene.coins(naming: nil, signed: 120, isRefunded: true), "n1")
        try await scene.notify(scene.coins(naming: second, signed: 60), "n2")
        #expect(try await scene.coins(of: first) == 0)
        #expect(try await scene.coins(of: second) == 0)
        let facts = try await scene.fixture.records.facts(of: second, after: 0, limit: 500, withSignedData: true)
        #expect(facts.count { $0.kind == "revocation" && $0.signedData?.isEmpty == false } == 1)

        try await scene.notify(scene.coins(naming: second, signed: 180), "n3")
        #expect(try await scene.coins(of: second) == 50)
        #expect(try await scene.coins(of: first) == 0)
    }

    @Test(arguments: DatabaseKind.here)
    func `a refund with a name that arrives before its purchase ends the purchase of the store account's customer`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        let (first, second) = (scene.first.customer, scene.second.customer)
        try await scene.notify(scene.coins(naming: second, signed: 120, isRefunded: true), "n1")
        _ = try await scene.fixture.records.record(signed: [scene.coins(naming: nil, signed: 0)], from: scene.first)
        #expect(try await scene.coins(of: first) == 0)
        #expect(try await scene.coins(of: second) == 0)
    }

    @Test(arguments: DatabaseKind.here)
    func `a purchase that is named for a third customer stays with the second, and its refund reaches that one`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        let (first, second) = (scene.first.customer, scene.second.customer)
        // The store account C has no device, and its customer has the purchase's first transaction.
        try await scene.notify(scene.coins(naming: nil, signed: 0, account: "C"), "n1")
        try await scene.notify(scene.coins(naming: second, signed: 60, account: "C"), "n2")
        try await scene.notify(scene.coins(naming: first, signed: 120, account: "C"), "n3")
        #expect(try await scene.coins(of: second) == 50)
        #expect(try await scene.coins(of: first) == 0)

        try await scene.notify(scene.coins(naming: first, signed: 180, isRefunded: true, account: "C"), "n4")
        #expect(try await scene.coins(of: second) == 0)
        #expect(try await scene.coins(of: first) == 0)
    }

    @Test(arguments: DatabaseKind.here)
    func `a refund for a customer who has no identity of the transaction ends the purchase of a later named one`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        let (first, second) = (scene.first.customer, scene.second.customer)
        try await scene.notify(scene.coins(naming: nil, signed: 0, account: "C"), "n1")
        try await scene.notify(scene.coins(naming: second, signed: 120, isRefunded: true, account: "C"), "n2")
        try await scene.notify(scene.coins(naming: first, signed: 60, account: "C"), "n3")
        #expect(try await scene.coins(of: first) == 0)
        #expect(try await scene.coins(of: second) == 0)
    }

    @Test(arguments: DatabaseKind.here)
    func `units of a customer without devices move to the named customer, and are not received again`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        let second = scene.second.customer
        try await scene.notify(scene.coins(naming: nil, signed: 0, account: "C"), "n1")
        try await scene.notify(scene.coins(naming: second, signed: 60, account: "C"), "n2")
        #expect(try await scene.coins(of: second) == 50)

        let third = try await scene.fixture.enroll(.init(), "C").device
        #expect(try await scene.coins(of: third.customer) == 0)
        let answers = try await scene.fixture.records.record(
            signed: [scene.coins(naming: nil, signed: 0, account: "C")], from: third)
        #expect(answers.map(\.result) == [.elsewhere])
        #expect(try await scene.coins(of: third.customer) == 0)
        #expect(try await scene.coins(of: second) == 50)
    }

    @Test(arguments: DatabaseKind.here)
    func `units that a customer has spent before its last device left are not received by the named customer`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        let (first, second) = (scene.first.customer, scene.second.customer)
        try await scene.notify(scene.coins(naming: nil, signed: 0), "n1")
        _ = try await scene.fixture.records.spend(30, of: "coins", token: "order", from: scene.first)
        try await scene.fixture.records.leave(scene.first)
        try await scene.notify(scene.coins(naming: second, signed: 60), "n2")
        #expect(try await scene.coins(of: first) == 0)
        #expect(try await scene.coins(of: second) == 20)
    }

    @Test(arguments: DatabaseKind.here)
    func `a copy without a name does not give its store account a purchase that went to the named customer`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        try await scene.notify(scene.rome(naming: nil, signed: 0), "n1")
        try await scene.notify(scene.rome(naming: scene.second.customer, signed: 60), "n2")
        let third = try await scene.fixture.enroll(.init(), "C").device
        let answers = try await scene.fixture.records.record(
            signed: [scene.rome(naming: nil, signed: 0)], from: third)
        #expect(answers.map(\.result) == [.elsewhere])
        #expect(try await scene.fixture.possessions(of: third.customer).names == [])
        #expect(try await scene.fixture.possessions(of: scene.second.customer).names == ["rome"])
    }

    @Test(arguments: DatabaseKind.here)
    func `an earlier copy does not take the units of a customer whose last device has left`(_ kind: DatabaseKind)
        async throws
    {
        let scene = try await Scene(kind)
        let (first, second) = (scene.first.customer, scene.second.customer)
        try await scene.notify(scene.coins(naming: second, signed: 60), "n1")
        try await scene.fixture.records.leave(scene.second)
        let answers = try await scene.fixture.records.record(
            signed: [scene.coins(naming: first, signed: 0)], from: scene.first)
        #expect(answers.map(\.result) == [.elsewhere])
        #expect(try await scene.coins(of: first) == 0)
        let back = try await scene.fixture.enroll(.init(), "B").device
        #expect(try await scene.coins(of: back.customer) == 50)
    }

    @Test(arguments: DatabaseKind.here)
    func `a customer whose first device enrolls while its purchase is moved keeps the units`(_ kind: DatabaseKind)
        async throws
    {
        let scene = try await Scene(kind)
        let (fixture, second) = (scene.fixture, scene.second.customer)
        try await scene.notify(scene.coins(naming: nil, signed: 0, account: "C"), "n1")
        let third = Recorder<EnrolledDevice>()
        scene.database.interrupt("UPDATE customer SET merged_into") {
            await #expect(throws: Never.self) { third.record(try await fixture.enroll(.init(), "C").device) }
        }
        try await scene.notify(scene.coins(naming: second, signed: 60, account: "C"), "n2")
        #expect(try await scene.coins(of: #require(third.values.first).customer) == 50)
        #expect(try await scene.coins(of: second) == 0)
    }

    @Test(arguments: DatabaseKind.here)
    func `a customer whose documents a later device can read keeps its purchases and documents`(_ kind: DatabaseKind)
        async throws
    {
        let scene = try await Scene(kind)
        let fixture = scene.fixture
        let owner = try await fixture.owner("C", first: 11)
        let debit = Fact.debit(Fact.Debit(token: "map", wallet: "coins", amount: 10))
        try await fixture.publish([(debit, .sample)], of: owner)
        try await fixture.records.leave(owner.device)
        let copy = try fixture.app.transaction(
            "coins50", id: "11", account: "C", kind: .consumable, signed: .sample + 60
        ) {
            $0.appAccountToken = UUID(uuidString: scene.second.customer)
        }
        try await scene.notify(copy, "n1")
        #expect(try await scene.coins(of: scene.second.customer) == 0)
        let back = try await fixture.enroll(.init(), "C").device
        #expect(try await fixture.records.documentNames(of: back).contains { $0.contains("tablet-1") })
        #expect(try await scene.coins(of: back.customer) == 90)
    }

    @Test(arguments: DatabaseKind.here)
    func `a purchase that is refunded stays refunded after another one was moved and the customers are merged`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        let fixture = scene.fixture
        let named = try await fixture.enroll(.init(), "D", account: "me").device
        try await scene.notify(scene.coins(naming: nil, signed: 0, account: "C"), "n1")
        // Two copies of one refund.
        for signed in [60.0, 90] {
            let refund = try fixture.app.transaction(
                "coins50", id: "1", account: "C", kind: .consumable, signed: .sample + signed
            ) {
                ($0.purchaseDate, $0.revocationDate) = (.sample - 60, .sample + 60)
            }
            try await scene.notify(refund, "n\(signed)")
        }
        try await scene.notify(scene.rome(naming: nil, signed: 0), "n2")
        try await scene.notify(scene.rome(naming: named.customer, signed: 120), "n3")
        let phone = CustomersFixture.Device()
        _ = try await fixture.enroll(phone, "C")
        let merged = try await fixture.enroll(phone, account: "me").device
        #expect(try await fixture.possessions(of: merged.customer).names == ["rome"])
        #expect(try await scene.coins(of: merged.customer) == 0)
    }

    @Test(arguments: DatabaseKind.here)
    func `units of a purchase without a store account move to the customer with the account that a later copy has`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        try await scene.notify(scene.coins(naming: nil, signed: 0, account: nil), "n1")
        let answers = try await scene.fixture.records.record(
            signed: [scene.coins(naming: nil, signed: 60)], from: scene.first)
        #expect(answers.map(\.result) == [.known])
        #expect(try await scene.coins(of: scene.first.customer) == 50)
    }

    @Test(arguments: DatabaseKind.here)
    func `units that another customer receives during a report are not received twice`(_ kind: DatabaseKind)
        async throws
    {
        let scene = try await Scene(kind)
        let (first, second) = (scene.first.customer, scene.second.customer)
        let (fixture, sender) = (scene.fixture, scene.second)
        let other = try scene.coins(naming: second, signed: 60)
        scene.database.interrupt("INSERT INTO received_units") {
            await #expect(throws: Never.self) { try await fixture.records.record(signed: [other], from: sender) }
        }
        _ = try await fixture.records.record(signed: [scene.coins(naming: first, signed: 0)], from: scene.first)
        #expect(try await scene.coins(of: first) == 0)
        #expect(try await scene.coins(of: second) == 50)
    }

    @Test(arguments: DatabaseKind.here)
    func `copies of a purchase that arrive together and name different customers credit one of them`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        let customers = [scene.first.customer, scene.second.customer]
        let copies = try (0..<16).map { number in
            try scene.fixture.app.notification(
                .oneTimeCharge, id: "n\(number)",
                transaction: scene.coins(naming: customers[number % 2], signed: Double(number)))
        }
        let fixture = scene.fixture
        try await withThrowingTaskGroup(of: Void.self) { group in
            for copy in copies { group.addTask { _ = try await fixture.receive(copy) } }
            try await group.waitForAll()
        }
        #expect(try await scene.coins(of: customers[0]) + scene.coins(of: customers[1]) == 50)
    }

    @Test(arguments: DatabaseKind.here)
    func `a purchase of two customers without devices belongs to the one named in its latest copy`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        for device in [scene.first, scene.second] { try await scene.fixture.records.leave(device) }
        try await scene.notify(scene.rome(naming: scene.first.customer, signed: 0), "n1")
        try await scene.notify(scene.rome(naming: scene.second.customer, signed: 60), "n2")
        let first = try await scene.fixture.enroll(.init(), "A").device
        let second = try await scene.fixture.enroll(.init(), "B").device
        #expect(try await scene.fixture.possessions(of: first.customer).names == [])
        #expect(try await scene.fixture.possessions(of: second.customer).names == ["rome"])
    }

    @Test(arguments: DatabaseKind.here)
    func `a guide that is recorded for another customer during a report belongs to that customer only`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind)
        let (first, second) = (scene.first.customer, scene.second.customer)
        let (fixture, sender) = (scene.fixture, scene.second)
        let other = try scene.rome(naming: second, signed: 60)
        scene.database.interrupt("INSERT INTO identity") {
            await #expect(throws: Never.self) { try await fixture.records.record(signed: [other], from: sender) }
        }
        let answers = try await fixture.records.record(
            signed: [scene.rome(naming: first, signed: 0)], from: scene.first)
        #expect(answers.map(\.result) == [.elsewhere])
        #expect(try await fixture.possessions(of: first).names == [])
        #expect(try await fixture.possessions(of: second).names == ["rome"])
    }

    private static let club = Data(
        """
        <plist version="1.0"><array><dict><key>productIdentifier</key><string>com.example.voyager.club</string>\
        <key>type</key><string>autoRenewableSubscription</string></dict></array></plist>
        """.utf8)

    @Test(arguments: DatabaseKind.here)
    func `a running period of a subscription stays with its customer, and the next one belongs to the named customer`(
        _ kind: DatabaseKind
    ) async throws {
        let scene = try await Scene(kind, publishing: Self.club)
        let (first, second) = (scene.first.customer, scene.second.customer)
        func period(_ number: Int, naming customer: String, signed: TimeInterval) throws -> String {
            let start = Date.sample - 60 + Double(number - 1) * 30 * 86_400
            return try scene.fixture.app.transaction(
                "club", id: "\(number)", account: "A", kind: .autoRenewableSubscription, signed: .sample + signed
            ) {
                $0.originalTransactionID = "1"
                ($0.purchaseDate, $0.expiresDate) = (start, start + 30 * 86_400)
                $0.appAccountToken = UUID(uuidString: customer)
            }
        }
        func owned() async throws -> [Set<String>] {
            try await [
                scene.fixture.possessions(of: first).names, scene.fixture.possessions(of: second).names,
            ]
        }
        try await scene.notify(period(1, naming: first, signed: 0), "n1")
        try await scene.notify(period(1, naming: second, signed: 60), "n2")
        #expect(try await owned() == [["club"], []])

        scene.fixture.clock.advance(by: 30 * 86_400)
        try await scene.notify(period(2, naming: second, signed: 30 * 86_400), "n3")
        #expect(try await owned() == [[], ["club"]])
    }
}
