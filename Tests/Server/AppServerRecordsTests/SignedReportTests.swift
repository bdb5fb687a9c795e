import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineEntitlements
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

@Suite struct SignedReportTests {
    @Test func `a purchase reported by one device is owned on all devices of the customer`() async throws {
        let fixture = try await CustomersFixture()
        let phone = try await fixture.enroll(.init(), "A").device
        let tablet = try await fixture.enroll(.init(), "A").device
        let everything = try fixture.app.transaction("everything", id: "1", account: "A")

        #expect(try await fixture.records.record(signed: [everything], from: phone).map(\.result) == [.accepted])
        #expect(try await fixture.records.record(signed: [everything], from: tablet).map(\.result) == [.known])

        let customerState = try await fixture.records.customerState(of: tablet.customer)
        let possessions = try await fixture.possessions(of: tablet.customer)
        #expect(possessions.names.isSuperset(of: ["everything", "iberia", "lisbon", "porto", "madrid", "vienna"]))
        #expect(customerState.sequence == 2 || customerState.sequence == 1)
        #expect(try await fixture.records.customerState(of: phone.customer) == customerState)
    }

    @Test func `units are credited once despite repeated reports, and a refund removes them`() async throws {
        let fixture = try await CustomersFixture()
        let phone = try await fixture.enroll(.init(), "A").device
        let coins = try fixture.app.transaction("coins50", id: "1", account: "A", kind: .consumable)
        let notification = try fixture.app.notification(.oneTimeCharge, id: "n1", transaction: coins)

        #expect(try await fixture.receive(notification) == .recorded)
        #expect(try await fixture.receive(notification) == .known)
        #expect(
            try await fixture.records.record(signed: [coins, coins], from: phone).map(\.result) == [.known, .known])
        #expect(try await fixture.possessions(of: phone.customer).wallets == ["coins": 50])

        let refunded = try fixture.app.transaction(
            "coins50", id: "1", account: "A", kind: .consumable, signed: .sample + 60
        ) { $0.revocationDate = .sample + 50 }
        #expect(try await fixture.records.record(signed: [refunded], from: phone).map(\.result) == [.accepted])
        #expect(try await fixture.possessions(of: phone.customer).wallets == ["coins": 0])
    }

    /// Catalogs that are published after a purchase of 50 coins.
    enum Republished: String, CaseIterable, CustomTestStringConvertible {
        case fewer, more
        case otherWallet = "another wallet"
        case removed = "product removed"

        var testDescription: String { rawValue }

        fileprivate var catalog: Data {
            let (wallet, units) = (self == .otherWallet ? "gems" : "coins", self == .fewer ? 20 : 200)
            let product = self == .removed ? "silver50" : "coins50"
            return Data(
                """
                <plist version="1.0"><dict><key>products</key><array><dict><key>productIdentifier</key>\
                <string>\(product)</string><key>consumable</key><true/><key>storageKey</key><string>\(wallet)</string>\
                <key>productValue</key><integer>\(units)</integer></dict></array></dict></plist>
                """.utf8)
        }
    }

    @Test(arguments: Republished.allCases)
    func `a transaction that is reported again is known, and its credit is the recorded one, under any later catalog`(
        _ republished: Republished
    ) async throws {
        let fixture = try await CustomersFixture()
        let phone = try await fixture.enroll(.init(), "A").device
        let coins = try fixture.app.transaction("coins50", id: "1", account: "A", kind: .consumable)
        let later = try fixture.app.transaction(
            "coins50", id: "1", account: "A", kind: .consumable, signed: .sample + 60)
        #expect(try await fixture.records.record(signed: [coins], from: phone).map(\.result) == [.accepted])

        try await fixture.replaceCatalog(republished.catalog)

        for _ in 0..<2 {
            let answers = try await fixture.records.record(signed: [coins, later], from: phone)
            #expect(answers.map(\.result) == [.known, .known])
        }
        #expect(try await fixture.possessions(of: phone.customer).wallets == ["coins": 50])
    }

    /// Catalog with a subscription, whose periods credit units to a wallet.
    private static func club(units: Int?) -> Data {
        let credit = units.map {
            "<key>storageKey</key><string>coins</string><key>productValue</key><integer>\($0)</integer>"
        }
        return Data(
            """
            <plist version="1.0"><array><dict><key>productIdentifier</key><string>\(String.voyager("club"))</string>\
            <key>type</key><string>autoRenewableSubscription</string>\(credit ?? "")</dict></array></plist>
            """.utf8)
    }

    @Test func `each period of a subscription credits its units once, and its refund takes them`() async throws {
        let fixture = try await CustomersFixture(publishing: Self.club(units: 100))
        let phone = try await fixture.enroll(.init(), "A").device
        func period(_ number: Int, signed: Date = .sample, isRefunded: Bool = false) throws -> String {
            try fixture.app.transaction(
                "club", id: "\(number)", account: "A", kind: .autoRenewableSubscription, signed: signed
            ) {
                $0.originalTransactionID = "1"
                $0.expiresDate = .sample + Double(number) * 86_400
                if isRefunded { $0.revocationDate = signed }
            }
        }
        func coins() async throws -> Int? {
            try await fixture.possessions(of: phone.customer).wallets["coins"]
        }

        #expect(try await fixture.records.record(signed: [period(1)], from: phone).map(\.result) == [.accepted])
        let renewal = try fixture.app.notification(.didRenew, id: "n1", transaction: try period(2))
        #expect(try await fixture.receive(renewal) == .recorded)
        let repeated = try await fixture.records.record(
            signed: [period(1), period(2), period(2, signed: .sample + 60)], from: phone)
        #expect(repeated.map(\.result) == [.known, .known, .known])
        #expect(try await coins() == 200)

        let refunded = try period(2, signed: .sample + 90, isRefunded: true)
        #expect(try await fixture.records.record(signed: [refunded], from: phone).map(\.result) == [.accepted])
        #expect(try await coins() == 100)
    }

    @Test func `a period that is recorded before the catalog gives it units stays known, without a credit`()
        async throws
    {
        let fixture = try await CustomersFixture(publishing: Self.club(units: nil))
        let phone = try await fixture.enroll(.init(), "A").device
        let period = try fixture.app.transaction("club", id: "1", account: "A", kind: .autoRenewableSubscription) {
            $0.expiresDate = .sample + 86_400
        }
        #expect(try await fixture.records.record(signed: [period], from: phone).map(\.result) == [.accepted])

        try await fixture.replaceCatalog(Self.club(units: 100))

        #expect(try await fixture.records.record(signed: [period], from: phone).map(\.result) == [.known])
        #expect(try await fixture.possessions(of: phone.customer).wallets["coins", default: 0] == 0)
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        let id: String
        let result: SignedAnswer.Result
        let signed: @Sendable (SignedApp) throws -> String

        var testDescription: String { id }
    }

    static let refused = [
        Refused(id: "no JWS", result: .rejected) { _ in "a.b.c" },
        Refused(id: "of another store", result: .rejected) { _ in
            try SignedApp().transaction("rome", id: "1", account: "A")
        },
        Refused(id: "of another app", result: .rejected) {
            try $0.transaction("rome", id: "1", account: "A") { $0.bundleIdentifier = "com.example.other" }
        },
        Refused(id: "of another environment", result: .rejected) {
            try $0.transaction("rome", id: "1", account: "A") { $0.environment = .production }
        },
        Refused(id: "a notification", result: .rejected) {
            try $0.notification(.test, id: "n1", transaction: nil)
        },
        Refused(id: "a product that the catalog lacks", result: .undetermined) {
            try $0.transaction("london", id: "1", account: "A")
        },
        Refused(id: "a product of another type in the catalog", result: .undetermined) {
            try $0.transaction("rome", id: "1", account: "A", kind: .consumable)
        },
        Refused(id: "a transaction of another store account", result: .elsewhere) {
            try $0.transaction("rome", id: "1", account: "B")
        },
        Refused(id: "an app transaction of another store account", result: .elsewhere) {
            try $0.appTransaction(of: "B")
        },
    ]

    @Test(arguments: refused)
    func `signed data that is invalid, foreign or not in the catalog does not make a product owned`(_ refused: Refused)
        async throws
    {
        let fixture = try await CustomersFixture()
        let phone = try await fixture.enroll(.init(), "A").device

        let answers = try await fixture.records.record(signed: [refused.signed(fixture.app)], from: phone)

        #expect(answers.map(\.result) == [refused.result])
        #expect(answers.first?.reason?.isEmpty == false)
        #expect(try await fixture.possessions(of: phone.customer).names == [])
    }

    @Test func `a reported transaction that lacks a field is refused with the name of the field`() async throws {
        let fixture = try await CustomersFixture()
        let phone = try await fixture.enroll(.init(), "A").device
        let signed = try fixture.app.identity.sign([
            "transactionId": "1", "bundleId": SignedApp.bundleIdentifier, "environment": "Sandbox",
        ])
        let answers = try await fixture.records.record(signed: [signed], from: phone)
        #expect(answers.map(\.result) == [.rejected])
        let reason = try #require(answers.first?.reason)
        #expect(reason.hasSuffix("the field originalTransactionId is missing"))
        #expect(!reason.contains("CodingKeys"))
    }

    @Test func `a transaction that names a customer belongs to that customer, regardless of the reporting device`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.enroll(.init(), "A").device
        let thief = try await fixture.enroll(.init(), "B").device
        let rome = try fixture.app.transaction("rome", id: "1") {
            $0.appAccountToken = UUID(uuidString: owner.customer)
        }

        #expect(try await fixture.records.record(signed: [rome], from: thief).map(\.result) == [.elsewhere])
        #expect(try await fixture.possessions(of: thief.customer).names == [])
        #expect(try await fixture.possessions(of: owner.customer).names == ["rome"])
    }

    @Test func `a purchase that names another customer does not merge the buyer with that customer`() async throws {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.enroll(.init(), "A").device
        let named = try fixture.app.transaction("rome", id: "1", account: "B") {
            $0.appAccountToken = UUID(uuidString: owner.customer)
        }
        let notification = try fixture.app.notification(.oneTimeCharge, id: "n1", transaction: named)
        #expect(try await fixture.receive(notification) == .recorded)

        let buyer = try await fixture.enroll(.init(), "B").device
        #expect(buyer.customer != owner.customer)
        #expect(try await fixture.possessions(of: buyer.customer).names == [])
        #expect(try await fixture.possessions(of: owner.customer).names == ["rome"])
        #expect(try await fixture.records.record(signed: [named], from: buyer).map(\.result) == [.elsewhere])
    }

    @Test func `a family-shared purchase is owned by the family member, and does not merge member and buyer`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let buyer = try await fixture.enroll(.init(), "A").device
        let member = try await fixture.enroll(.init(), "B").device
        let bought = try fixture.app.transaction("rome", id: "1", account: "A")
        let shared = try fixture.app.transaction("rome", id: "2", account: "B") { $0.ownershipType = .familyShared }
        #expect(try await fixture.records.record(signed: [bought], from: buyer).map(\.result) == [.accepted])
        #expect(try await fixture.records.record(signed: [shared], from: member).map(\.result) == [.accepted])
        #expect(try await fixture.possessions(of: member.customer).names == ["rome"])
        #expect(buyer.customer != member.customer)

        let ended = try fixture.app.transaction("rome", id: "2", account: "B", signed: .sample + 60) {
            $0.ownershipType = .familyShared
            $0.revocationDate = .sample + 50
        }
        let notification = try fixture.app.notification(.revoke, id: "n1", transaction: ended)
        #expect(try await fixture.receive(notification) == .recorded)
        #expect(try await fixture.possessions(of: member.customer).names == [])
        #expect(try await fixture.possessions(of: buyer.customer).names == ["rome"])
    }

    @Test func `purchases received before any device enrolls are owned once a device of their store account enrolls`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let rome = try fixture.app.transaction("rome", id: "1", account: "A")
        let notification = try fixture.app.notification(.oneTimeCharge, id: "n1", transaction: rome)
        #expect(try await fixture.receive(notification) == .recorded)

        let phone = try await fixture.enroll(.init(), "A").device
        #expect(try await fixture.possessions(of: phone.customer).names == ["rome"])
    }

    @Test func `a notification about an unknown product is recorded once a catalog with the product is published`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let map = try fixture.app.transaction("map", id: "1", account: "A") { $0.productIdentifier = "map" }
        #expect(
            try await fixture.receive(try fixture.app.notification(.oneTimeCharge, id: "n1", transaction: map))
                == .waiting)
        let phone = try await fixture.enroll(.init(), "A").device
        #expect(try await fixture.possessions(of: phone.customer).owned == [])

        try await fixture.replaceCatalog(try Data(contentsOf: Repository.sample("Club.plist")))

        let notifications = try await fixture.records.notifications(state: nil, app: nil, before: nil, limit: 10)
        #expect(notifications.map(\.state) == ["recorded"])
        #expect(try await fixture.possessions(of: phone.customer).owned.map(\.product) == ["map"])
    }

    @Test(arguments: [(1, true), (0, true), (1, false)])
    func `a customer with several devices receives a grandfathering grant and a starting balance once`(
        _ before: Int, _ hasStoreAccount: Bool
    ) async throws {
        let catalog = Data(
            """
            <plist version="1.0"><dict><key>products</key><array><dict><key>productIdentifier</key><string>p</string>\
            <key>consumable</key><false/><key>grandfathered</key><dict><key>beforeBuild</key><string>200</string></dict>\
            </dict><dict><key>productIdentifier</key><string>c</string><key>consumable</key><true/>\
            <key>storageKey</key><string>coins</string><key>productValue</key><integer>5</integer></dict></array>\
            <key>wallets</key><dict><key>coins</key><dict><key>startingBalance</key><integer>20</integer></dict></dict>\
            </dict></plist>
            """.utf8)
        let fixture = try await CustomersFixture(publishing: catalog)
        let version = before == 1 ? "150" : "250"
        var customers: Set<String> = []
        for _ in 0..<3 {
            let device = CustomersFixture.Device()
            let request = try fixture.request(
                device,
                appTransaction: try fixture.app.appTransaction(
                    of: hasStoreAccount ? "A" : nil, version: version, boundTo: device.verificationID))
            customers.insert(try await fixture.records.enroll(request, app: CustomersFixture.name).customer)
        }
        #expect(customers.count == (hasStoreAccount ? 1 : 3))
        for customer in customers {
            let possessions = try await fixture.possessions(of: customer)
            #expect(possessions.owned.map(\.product) == (before == 1 ? ["p"] : []))
            // Without a store account, each installation would be given the starting balance again.
            #expect(possessions.wallets == (hasStoreAccount ? ["coins": 20] : [:]))
        }
    }
}
