import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineCatalog
import VitrineEntitlements
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Transfers between customers by operators.
@Suite(.hangLimit) struct TransferTests {
    /// Customers of which one has absorbed the other, as with a stolen phone and the thief's login.
    private struct Scene {
        let fixture: CustomersFixture
        /// Stolen phone of the owner.
        let phone: CustomersFixture.Device
        let tablet: CustomersFixture.Device
        /// The owner's tablet.
        let owner: EnrolledDevice
        /// Customer after the thief has logged in on the owner's phone.
        let merged: String

        init(_ database: (any CustomerDatabase)? = nil) async throws {
            let (fixture, phone) = (try await CustomersFixture(database: database), CustomersFixture.Device())
            let lost = try await fixture.enroll(phone, "A").device
            let tablet = CustomersFixture.Device()
            let owner = try await fixture.enroll(tablet, "A").device
            let customer = owner.customer
            let purchases = [
                try fixture.app.transaction("rome", id: "1", account: "A"),
                try fixture.app.transaction("lisbon", id: "2", account: "A") {
                    $0.appAccountToken = UUID(uuidString: customer)
                },
                try fixture.app.transaction("coins50", id: "3", account: "A", kind: .consumable),
            ]
            let answers = try await fixture.records.record(signed: purchases, from: lost)
            #expect(answers.map(\.result) == [.accepted, .accepted, .accepted])
            // The thief has an account with a purchase.
            let thief = try await fixture.enroll(.init(), "T", account: "thief").device
            let porto = try fixture.app.transaction("porto", id: "4", account: "T")
            #expect(try await fixture.records.record(signed: [porto], from: thief).map(\.result) == [.accepted])
            let merged = try await fixture.enroll(phone, account: "thief").device.customer
            #expect(try await fixture.possessions(of: merged).names == ["rome", "lisbon", "porto"])
            (self.fixture, self.phone, self.tablet) = (fixture, phone, tablet)
            (self.owner, self.merged) = (owner, merged)
        }

        /// Parts of the owner.
        var parts: TransferredParts {
            TransferredParts(
                identities: [
                    CustomerDetail.Identity(kind: "appTransaction", value: "A"),
                    CustomerDetail.Identity(kind: "customer", value: owner.customer),
                ], devices: [owner.id])
        }

        func transfer(
            _ parts: TransferredParts, to receiver: String? = nil, token: String = "case-1"
        ) async throws -> TransferResult {
            try await fixture.records.transfer(
                parts, from: merged, to: receiver, token: token, reason: "stolen phone", by: "admin")
        }
    }

    @Test(arguments: DatabaseKind.here)
    func `a customer that was merged with a thief's is separated with its purchases, identities and devices`(
        _ kind: DatabaseKind
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let scene = try await Scene(try await kind.scene(in: folder).database)
        let fixture = scene.fixture
        // The owner is locked out: the customer has an account that is not hers.
        let refused = await #expect(throws: CustomerError.self) { try await fixture.enroll(.init(), "A") }
        #expect(refused?.code == .forbidden)

        let result = try await scene.transfer(scene.parts)

        #expect(try await fixture.possessions(of: result.to).names == ["rome", "lisbon"])
        #expect(try await fixture.possessions(of: result.to).wallets["coins"] == 50)
        #expect(try await fixture.possessions(of: result.customer).names == ["porto"])
        #expect(try await fixture.possessions(of: result.customer).wallets["coins", default: 0] == 0)
        // Purchases that name the owner's identifier, her devices and her Apple account lead to her again.
        #expect(try await fixture.possessions(of: scene.owner.customer).names == ["rome", "lisbon"])
        #expect(try await fixture.enroll(scene.tablet).device.customer == result.to)
        let phone = CustomersFixture.Device(name: "new phone")
        #expect(try await fixture.enroll(phone, "A").device.customer == result.to)
        // The thief keeps what is the thief's, on the stolen phone too.
        #expect(try await fixture.enroll(.init(), account: "thief").device.customer == result.customer)
        #expect(try await fixture.enroll(scene.phone).device.customer == result.customer)
        for customer in [result.customer, result.to] {
            let actions = try await fixture.records.detail(of: customer).actions
            #expect(actions.contains { $0.action == "transfer" && $0.author == "admin" })
        }
        // Later statements of the store go to whom the purchases belong.
        let refund = try fixture.app.transaction("rome", id: "1", account: "A", signed: .sample + 60) {
            $0.revocationDate = .sample + 50
        }
        let notification = try fixture.app.notification(.refund, id: "n1", transaction: refund)
        #expect(try await fixture.receive(notification) == .recorded)
        #expect(try await fixture.possessions(of: result.to).names == ["lisbon"])
    }

    @Test func `a transfer with a repeated token has no effect, and the token of another transfer is a conflict`()
        async throws
    {
        let scene = try await Scene()
        let first = try await scene.transfer(scene.parts)
        #expect(try await scene.transfer(scene.parts) == first)
        let other = TransferredParts(
            identities: [CustomerDetail.Identity(kind: "account", value: "thief")], devices: [])
        let error = await #expect(throws: CustomerError.self) { try await scene.transfer(other) }
        #expect(error?.code == .conflict)
    }

    @Test func `a store account is transferred to another customer, who then has its purchases`() async throws {
        let scene = try await Scene()
        let receiver = try await scene.fixture.enroll(.init(), "R", account: "rita").device.customer
        let parts = TransferredParts(
            identities: [CustomerDetail.Identity(kind: "appTransaction", value: "A")], devices: [])

        let result = try await scene.transfer(parts, to: receiver)

        #expect(result.to == receiver)
        // What names the former customer stays with it.
        #expect(try await scene.fixture.possessions(of: receiver).names == ["rome"])
        #expect(try await scene.fixture.possessions(of: receiver).wallets["coins"] == 50)
        #expect(try await scene.fixture.possessions(of: result.customer).names == ["lisbon", "porto"])
    }

    /// Store accounts of two merged customers, and the one that is transferred.
    struct Grandfathering: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Versions of the app that the store accounts A and T have bought.
        let versions: [String]
        let transferred: String
        let isReceivers: Bool
        let isKept: Bool
    }

    static let grandfathering = [
        Grandfathering(
            testDescription: "the account with the right version", versions: ["150", "250"], transferred: "A",
            isReceivers: true, isKept: false),
        Grandfathering(
            testDescription: "the account without it", versions: ["150", "250"], transferred: "T", isReceivers: false,
            isKept: true),
        Grandfathering(
            testDescription: "the later one of two with it", versions: ["150", "150"], transferred: "T",
            isReceivers: true, isKept: true),
        Grandfathering(
            testDescription: "the earlier one of two with it", versions: ["150", "150"], transferred: "A",
            isReceivers: true, isKept: true),
    ]

    /// How the server knows the two store accounts, and which catalog it has at the transfer.
    struct Knowledge: Sendable, CustomTestStringConvertible {
        /// `true` if the store accounts had customers of their own, who were merged.
        let isMerged: Bool
        /// `true` if the catalog has the rule no more.
        let isRuleGone: Bool

        var testDescription: String {
            "\(isMerged ? "merged customers" : "one customer"), \(isRuleGone ? "without" : "with") the rule"
        }

        static let all = [true, false].flatMap { isMerged in
            [true, false].map { Knowledge(isMerged: isMerged, isRuleGone: $0) }
        }
    }

    @Test(arguments: grandfathering, Knowledge.all)
    func `a product of a grandfathering rule goes with the store account because of which it was granted`(
        _ test: Grandfathering, _ knowledge: Knowledge
    ) async throws {
        func catalog(_ rule: String) -> Data {
            Data(
                """
                <plist version="1.0"><array><dict><key>productIdentifier</key><string>p</string><key>consumable</key>\
                <false/>\(rule)</dict></array></plist>
                """.utf8)
        }
        let rule = "<key>grandfathered</key><dict><key>beforeBuild</key><string>200</string></dict>"
        let fixture = try await CustomersFixture(publishing: catalog(rule))
        var merged = ""
        for (index, storeAccount) in ["A", "T"].enumerated() {
            let device = CustomersFixture.Device()
            let request = try fixture.request(
                device,
                appTransaction: try fixture.app.appTransaction(
                    of: storeAccount, version: test.versions[index],
                    bought: .sample - 86_400 * Double(20 - index), boundTo: device.verificationID),
                account: knowledge.isMerged ? nil : "anna")
            merged = try await fixture.records.enroll(request, app: CustomersFixture.name).customer
            if knowledge.isMerged { merged = try await fixture.enroll(device, account: "anna").device.customer }
        }
        #expect(try await fixture.possessions(of: merged).owned.map(\.product) == ["p"])
        if knowledge.isRuleGone {
            try await fixture.replaceCatalog(catalog(""))
        }
        let parts = TransferredParts(
            identities: [CustomerDetail.Identity(kind: "appTransaction", value: test.transferred)], devices: [])

        let result = try await fixture.records.transfer(
            parts, from: merged, to: nil, token: "case-1", reason: "two people", by: "admin")

        for (customer, isOwner) in [(result.to, test.isReceivers), (result.customer, test.isKept)] {
            #expect(try await fixture.possessions(of: customer).owned.map(\.product) == (isOwner ? ["p"] : []))
        }
    }

    @Test func `a lock of a grandfathered product applies to both customers after a transfer of the store account`()
        async throws
    {
        let catalog = Data(
            """
            <plist version="1.0"><array><dict><key>productIdentifier</key><string>p</string><key>consumable</key>\
            <false/><key>grandfathered</key><dict><key>beforeBuild</key><string>200</string></dict></dict></array>\
            </plist>
            """.utf8)
        let fixture = try await CustomersFixture(publishing: catalog)
        let phone = CustomersFixture.Device()
        let proof = try fixture.app.appTransaction(
            of: "A", version: "150", bought: .sample - 86_400, boundTo: phone.verificationID)
        let customer = try await fixture.records.enroll(
            fixture.request(phone, appTransaction: proof), app: CustomersFixture.name
        ).customer
        #expect(try await fixture.possessions(of: customer).owned.map(\.product) == ["p"])
        _ = try await fixture.records.lock("p", of: customer, token: "case-0", reason: "a mistake", by: "admin")
        let parts = TransferredParts(
            identities: [CustomerDetail.Identity(kind: "appTransaction", value: "A")], devices: [])

        let result = try await fixture.records.transfer(
            parts, from: customer, to: nil, token: "case-1", reason: "two people", by: "admin")

        for customer in [customer, result.to, result.customer] {
            #expect(try await fixture.possessions(of: customer).owned.map(\.product) == [])
        }

        // A grant with an end does not make the next receiver own the product for ever.
        let receiver = try await fixture.enroll(.init(), "B").device.customer
        _ = try await fixture.records.grant(
            "p", to: receiver, token: "case-2", reason: "a trial", until: .sample + 60, by: "admin")
        _ = try await fixture.records.transfer(
            parts, from: result.to, to: receiver, token: "case-3", reason: "one person", by: "admin")
        fixture.clock.advance(by: 120)
        #expect(try await fixture.possessions(of: receiver).owned.map(\.product) == [])
    }

    @Test func `all that the store has signed about a purchase stays with the customer whom the last of it names`()
        async throws
    {
        let catalog = Data(
            """
            <plist version="1.0"><array><dict><key>productIdentifier</key><string>com.example.voyager.club</string>\
            <key>type</key><string>autoRenewableSubscription</string></dict></array></plist>
            """.utf8)
        let fixture = try await CustomersFixture(publishing: catalog)
        let owner = try await fixture.enroll(.init(), "A").device
        func day(_ number: Double) -> Date { .sample + number * 86_400 }
        // The period is extended; then its refund and the reversal name the customer.
        let statements: [(signed: Double, end: Double, name: String?, isRefund: Bool)] = [
            (-9, -1, nil, false), (-6, 20, nil, false), (-5, 20, owner.customer, true), (-4, 20, owner.customer, false),
        ]
        let signed = try statements.map { statement in
            try fixture.app.transaction(
                "club", id: "1", account: "A", kind: .autoRenewableSubscription, signed: day(statement.signed)
            ) {
                ($0.purchaseDate, $0.expiresDate) = (day(-9), day(statement.end))
                $0.appAccountToken = statement.name.flatMap(UUID.init(uuidString:))
                if statement.isRefund { $0.revocationDate = day(statement.signed) }
            }
        }
        for transaction in signed {
            let answers = try await fixture.records.record(signed: [transaction], from: owner)
            #expect(answers.map(\.result) == [.accepted])
        }
        let parts = TransferredParts(
            identities: [CustomerDetail.Identity(kind: "appTransaction", value: "A")], devices: [])

        let result = try await fixture.records.transfer(
            parts, from: owner.customer, to: nil, token: "case-1", reason: "two people", by: "admin")

        #expect(try await fixture.possessions(of: result.customer).names == ["club"])
        #expect(try await fixture.possessions(of: result.to).names == [])
    }

    @Test func `a transferred purchase goes with what the store has signed last about it, in whatever order that came`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let owner = try await fixture.enroll(.init(), "A").device
        let refund = try fixture.app.transaction("rome", id: "1", account: "A", signed: .sample + 60) {
            $0.appAccountToken = UUID(uuidString: owner.customer)
            $0.revocationDate = .sample + 50
        }
        for signed in [refund, try fixture.app.transaction("rome", id: "1", account: "A")] {
            _ = try await fixture.records.record(signed: [signed], from: owner)
        }
        let parts = TransferredParts(
            identities: [CustomerDetail.Identity(kind: "appTransaction", value: "A")], devices: [])

        let result = try await fixture.records.transfer(
            parts, from: owner.customer, to: nil, token: "case-1", reason: "two people", by: "admin")

        func kinds(of customer: String) async throws -> Set<String> {
            Set(try await fixture.records.facts(of: customer, after: 0, limit: 500).map(\.kind))
        }
        #expect(try await kinds(of: result.customer) == ["purchase", "revocation"])
        #expect(try await kinds(of: result.to).isDisjoint(with: ["purchase", "revocation"]))
    }

    @Test func `units that were spent at the server do not come back when the purchase of the units is transferred`()
        async throws
    {
        let scene = try await Scene()
        let fixture = scene.fixture
        _ = try await fixture.records.deposit(
            10, in: "coins", of: scene.merged, token: "case-0", reason: "a present", by: "admin")
        _ = try await fixture.records.spend(40, of: "coins", token: "order", from: scene.owner)
        let result = try await scene.transfer(scene.parts)
        // The deposit remains, and has covered ten of the spent units.
        #expect(try await fixture.possessions(of: result.to).wallets["coins"] == 20)
        #expect(try await fixture.possessions(of: result.customer).wallets["coins", default: 0] == 0)
        let debits = try await fixture.records.facts(of: result.to, after: 0, limit: 500).filter { $0.kind == "debit" }
        #expect(debits.count == 1)
    }

    @Test func `units that a device has spent do not come back when the device is transferred without the purchase`()
        async throws
    {
        let scene = try await Scene()
        let records = scene.fixture.records
        _ = try await records.lease(50, of: "coins", token: "trip", seconds: 86_400, to: scene.owner)
        scene.fixture.clock.advance(by: 60)
        let debit = LeaseDebit(token: "order", amount: 30, spent: scene.fixture.clock.now.milliseconds - 1_000)
        _ = try await records.report(lease: "trip", debits: [debit], returning: true, from: scene.owner)
        let result = try await scene.transfer(TransferredParts(identities: [], devices: [scene.owner.id]))
        #expect(try await scene.fixture.possessions(of: result.to).wallets["coins", default: 0] == 0)
        #expect(try await scene.fixture.possessions(of: result.customer).wallets["coins"] == 20)
    }

    @Test(arguments: DatabaseKind.here)
    func `units that a device has spent without the server go with it, and are not paid again from its next documents`(
        _ kind: DatabaseKind
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let fixture = try await CustomersFixture(database: try await kind.scene(in: folder).database)
        let (owner, receiver) = (try await fixture.owner("A"), try await fixture.owner("B", first: 3))
        let tablet = CustomersFixture.Device(name: "tablet")
        func publish(as name: String) async throws -> EnrolledDevice {
            let (device, enrollment) = try await fixture.enroll(tablet, name == "tablet-1" ? "A" : nil)
            try await fixture.publish(
                [(.spent(30, token: "map"), .sample - 60)],
                of: CustomersFixture.Owner(phone: tablet, device: device, key: enrollment.key), as: name)
            return device
        }
        let device = try await publish(as: "tablet-1")
        #expect(try await fixture.coins(of: owner) == 70)

        let result = try await fixture.records.transfer(
            TransferredParts(identities: [], devices: [device.id]), from: owner.device.customer,
            to: receiver.device.customer, token: "case-1", reason: "a present", by: "admin")

        // With another key, the device publishes everything again under another name.
        #expect(try await publish(as: "tablet-2").customer == receiver.device.customer)
        #expect(try await fixture.possessions(of: result.customer).wallets["coins"] == 70)
        #expect(try await fixture.coins(of: receiver) == 100)
        #expect(
            try await fixture.records.facts(of: result.to, after: 0, limit: 500)
                .contains { $0.kind == "debit" && $0.key == "map" })
    }

    /// Lease of a device, and the parts that are transferred while it is open.
    struct OpenLease: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// `true` if the owner's tablet has the lease, `false` for the stolen phone.
        var isOwners = false
        /// `true` if the tablet is transferred without the purchase of the units.
        var isDeviceAlone = false
        /// Units that the device has spent and reported before the transfer.
        var reported = 0
        /// Time of the transfer after the beginning of the lease of an hour, in seconds.
        var after: TimeInterval = 60
        /// `true` if the customer with the device has the units after the transfer.
        var isCovered = false
    }

    static let openLeases = [
        OpenLease(testDescription: "of the thief, whose units go to the owner"),
        OpenLease(testDescription: "of the thief, a part reported", reported: 20),
        OpenLease(testDescription: "of the thief, in the time after its end", after: 3_600 + 80_000),
        OpenLease(testDescription: "of the owner's tablet, whose units stay", isOwners: true, isDeviceAlone: true),
        OpenLease(
            testDescription: "of the owner's tablet, a part reported", isOwners: true, isDeviceAlone: true,
            reported: 20),
        OpenLease(testDescription: "of the owner's tablet, with its units", isOwners: true, isCovered: true),
        OpenLease(
            testDescription: "of the owner's tablet, with its units, a part reported", isOwners: true, reported: 20,
            isCovered: true),
    ]

    @Test(arguments: openLeases)
    func `leased units are paid out once after a transfer, to the customer who has them`(
        _ lease: OpenLease
    ) async throws {
        let scene = try await Scene()
        let (fixture, records) = (scene.fixture, scene.fixture.records)
        let holder = lease.isOwners ? scene.tablet : scene.phone
        let before = try await fixture.enroll(holder).device
        _ = try await records.lease(50, of: "coins", token: "trip", seconds: 3_600, to: before)
        fixture.clock.advance(by: lease.after)
        func report(_ amount: Int, as token: String, by device: EnrolledDevice) async throws -> LeaseAnswer {
            let debit = LeaseDebit(token: token, amount: amount, spent: fixture.clock.now.milliseconds - 1_000)
            return try await records.report(lease: "trip", debits: [debit], returning: false, from: device)
        }
        if lease.reported > 0 { _ = try await report(lease.reported, as: "map", by: before) }

        let alone = TransferredParts(identities: [], devices: [scene.owner.id])
        let result = try await scene.transfer(lease.isDeviceAlone ? alone : scene.parts)

        let left = 50 - lease.reported
        let (device, other) = (
            try await fixture.enroll(holder).device,
            try await fixture.enroll(lease.isOwners ? scene.phone : scene.tablet).device
        )
        #expect(device.id == before.id)
        if lease.isCovered {
            let spending = await #expect(throws: CustomerError.self) {
                try await records.spend(1, of: "coins", token: "order", from: device)
            }
            #expect(spending?.code == .insufficientFunds)
            #expect(try await report(left, as: "guide", by: device).left == 0)
        } else {
            #expect(try await records.spend(left, of: "coins", token: "order", from: other).balance == 0)
            let refused = await #expect(throws: CustomerError.self) {
                try await report(left, as: "guide", by: device)
            }
            #expect(refused?.code == .invalid)
        }
        for customer in [result.customer, result.to] {
            #expect(try await fixture.possessions(of: customer).wallets["coins", default: 0] == 0)
        }
        // A new lease needs units of its own.
        let next = await #expect(throws: CustomerError.self) {
            try await records.lease(1, of: "coins", token: "next", seconds: 60, to: device)
        }
        #expect(next?.code == (lease.isCovered ? .conflict : .insufficientFunds))
    }

    @Test func `a transfer ends no lease that its receiver had before`() async throws {
        let scene = try await Scene()
        let (fixture, records) = (scene.fixture, scene.fixture.records)
        let receiver = try await fixture.enroll(.init(), "R", account: "rita").device
        let coins = try fixture.app.transaction("coins50", id: "5", account: "R", kind: .consumable)
        #expect(try await records.record(signed: [coins], from: receiver).map(\.result) == [.accepted])
        for device in [receiver, try await fixture.enroll(scene.tablet).device] {
            _ = try await records.lease(50, of: "coins", token: "trip", seconds: 3_600, to: device)
        }
        fixture.clock.advance(by: 60)
        _ = try await scene.transfer(
            TransferredParts(identities: [], devices: [scene.owner.id]), to: receiver.customer)
        let debit = LeaseDebit(token: "seat", amount: 50, spent: fixture.clock.now.milliseconds - 1_000)
        let tablet = try await fixture.enroll(scene.tablet).device
        await #expect(throws: CustomerError.self) {
            try await records.report(lease: "trip", debits: [debit], returning: false, from: tablet)
        }
        #expect(try await records.report(lease: "trip", debits: [debit], returning: false, from: receiver).left == 0)
        #expect(try await fixture.possessions(of: receiver.customer).wallets["coins", default: 0] == 0)
    }

    @Test func `a transfer whose parts contain the customer itself is refused with the reason`() async throws {
        let scene = try await Scene()
        let former = scene.owner.customer
        let error = await #expect(throws: CustomerError.self) {
            try await scene.fixture.records.transfer(
                scene.parts, from: former, to: nil, token: "case-1", reason: "stolen phone", by: "admin")
        }
        #expect(error?.code == .invalid)
        #expect(try await scene.transfer(scene.parts).to != scene.merged)
    }

    @Test
    func `a purchase that keeps its name stays with its customer after a second transfer of the name's successor`()
        async throws
    {
        let scene = try await Scene()
        let (fixture, owner) = (scene.fixture, scene.owner.customer)
        // The owner's customer was merged into the first one, and that one into the remaining customer of this transfer.
        let first = try await scene.transfer(TransferredParts(identities: [], devices: [scene.owner.id]))
        #expect(first.customer != scene.merged)
        let second = try await fixture.records.transfer(
            TransferredParts(identities: [CustomerDetail.Identity(kind: "customer", value: scene.merged)], devices: []),
            from: first.customer, to: nil, token: "case-2", reason: "thief", by: "admin")

        let bought = try fixture.app.transaction("porto", id: "9", account: "A") {
            $0.appAccountToken = UUID(uuidString: owner)
        }
        #expect(
            try await fixture.receive(fixture.app.notification(.oneTimeCharge, id: "n9", transaction: bought))
                == .recorded)
        #expect(try await fixture.records.facts(of: second.customer, after: 0, limit: 500).contains { $0.key == "9" })
        #expect(try await !fixture.records.facts(of: second.to, after: 0, limit: 500).contains { $0.key == "9" })
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let id: String
        let code: CustomerErrorCode
        var identities: [CustomerDetail.Identity] = []
        var devices: [String] = []
        /// `true` to transfer to a customer with an account.
        var hasReceiver = false

        var testDescription: String { id }
    }

    static let refusals = [
        Refusal(id: "nothing", code: .invalid),
        Refusal(
            id: "an identity of nobody", code: .notFound,
            identities: [CustomerDetail.Identity(kind: "appTransaction", value: "Z")]),
        Refusal(
            id: "a kind that is none", code: .notFound,
            identities: [CustomerDetail.Identity(kind: "name", value: "A")]),
        Refusal(
            id: "a customer that was not merged", code: .notFound,
            identities: [CustomerDetail.Identity(kind: "customer", value: "nobody")]),
        Refusal(
            id: "an identity twice", code: .invalid,
            identities: Array(repeating: CustomerDetail.Identity(kind: "appTransaction", value: "A"), count: 2)),
        Refusal(id: "a device twice", code: .invalid, devices: ["enrolled-0", "enrolled-0"]),
        Refusal(id: "a device of nobody", code: .notFound, devices: ["enrolled-0"]),
        Refusal(
            id: "a second account", code: .conflict,
            identities: [CustomerDetail.Identity(kind: "account", value: "thief")], hasReceiver: true),
    ]

    @Test(arguments: refusals)
    func `a transfer of parts that the customer lacks, or of a second account, is refused and changes nothing`(
        _ refusal: Refusal
    ) async throws {
        let scene = try await Scene()
        let receiver = try await scene.fixture.enroll(.init(), "R", account: "rita").device.customer
        let error = await #expect(throws: CustomerError.self) {
            try await scene.transfer(
                TransferredParts(identities: refusal.identities, devices: refusal.devices),
                to: refusal.hasReceiver ? receiver : nil)
        }
        #expect(error?.code == refusal.code)
        #expect(try await scene.fixture.possessions(of: scene.merged).names == ["rome", "lisbon", "porto"])
    }
}
