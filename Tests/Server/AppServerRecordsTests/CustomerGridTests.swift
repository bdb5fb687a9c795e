import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Table in Documentation/AppServer.md about the customer to whom a new device belongs. The device of each row is also
/// tried as that of a thief, from whom the owner must lose nothing.
@Suite(.hangLimit) struct CustomerGridTests {
    struct Cell: Sendable, CustomTestStringConvertible {
        let shown: String
        let holder: String
        /// `customer`, `stranger`, `refused`, or `–` for a combination that does not exist.
        let expected: String

        var testDescription: String { "\(shown), \(holder)" }
    }

    /// Cells of the table.
    private static let cells: [Cell] = {
        let page = (try? String(contentsOf: Repository.file("Documentation/AppServer.md"), encoding: .utf8)) ?? ""
        let rows = page.split(separator: "\n").map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
        guard let head = rows.firstIndex(where: { $0.first == "a new device shows" }) else { return [] }
        return rows[(head + 2)...].prefix { $0.count == rows[head].count }.flatMap { row in
            zip(rows[head], row).dropFirst().map { Cell(shown: row[0], holder: $0, expected: $1) }
        }
    }()

    // MARK: The owner

    /// Owner of 50 coins and a product, with a phone that may have enrolled.
    private struct Owner {
        let fixture: CustomersFixture
        let phone = CustomersFixture.Device()
        var enrolled: EnrolledDevice?
        let hasLogin: Bool

        /// Identifier that the owner's purchases name; that of nobody unless the owner has enrolled.
        var name: UUID { enrolled.flatMap { UUID(uuidString: $0.customer) } ?? UUID() }

        /// Signed transactions of the owner's purchases.
        ///
        /// - Parameters:
        ///   - device: Identifier of the device for which they are signed; `nil` for a server.
        ///   - isNaming: `true` if they name the owner. They are then other purchases.
        func purchases(boundTo device: UUID?, isNaming: Bool = false) throws -> [String] {
            func transaction(_ product: String, _ id: String, _ kind: SignedProductKind) throws -> String {
                try fixture.app.transaction(product, id: id, account: "A", kind: kind) {
                    if let device { $0.bind(to: device) }
                    if isNaming { $0.appAccountToken = name }
                }
            }
            guard !isNaming else { return [try transaction("lisbon", "3", .nonConsumable)] }
            return [try transaction("rome", "1", .nonConsumable), try transaction("coins50", "2", .consumable)]
        }

        func notify(_ time: Int) async throws {
            for (index, transaction) in try purchases(boundTo: nil).enumerated() {
                let notification = try fixture.app.notification(
                    .oneTimeCharge, id: "n\(time)-\(index)", transaction: transaction)
                #expect(try await fixture.receive(notification) == .recorded)
            }
        }

        func appTransaction(boundTo device: UUID?) throws -> String {
            try fixture.app.appTransaction(of: "A", boundTo: device)
        }

        /// Enrolls a device of the owner, as an app without or with a login does.
        func enroll(_ device: CustomersFixture.Device, isLoggedIn: Bool) async throws -> EnrolledDevice {
            try await fixture.enroll(device, "A", account: isLoggedIn ? "anna" : nil).device
        }
    }

    private static func owner(_ holder: String, _ database: (any CustomerDatabase)?) async throws -> Owner {
        let fixture = try await CustomersFixture(database: database)
        var owner = Owner(fixture: fixture, hasLogin: holder == "customer with login")
        switch holder {
        case "purchase that the server does not know": break
        case "customer without devices": try await owner.notify(0)
        default:
            owner.enrolled = try await owner.enroll(owner.phone, isLoggedIn: owner.hasLogin)
            let answers = try await fixture.records.record(
                signed: owner.purchases(boundTo: owner.phone.verificationID), boundTo: owner.phone.verificationID,
                from: try #require(owner.enrolled))
            #expect(answers.map(\.result) == [.accepted, .accepted])
        }
        return owner
    }

    // MARK: What a device shows

    private static let shown: [String: @Sendable (Owner, CustomersFixture.Device) async throws -> EnrolledDevice] = [
        "nothing": { owner, device in try await owner.fixture.enroll(device).device },
        "the identifier of another device": { owner, device in
            var device = device
            device.verificationID = owner.phone.verificationID
            return try await owner.fixture.enroll(device).device
        },
        "a copy of an app transaction": { owner, device in try await enrollWithCopy(owner, device, account: nil) },
        "a copy of a transaction": { owner, device in
            try await reportCopies(owner, device, try await owner.fixture.enroll(device).device)
        },
        "a copy of a transaction that names the customer": { owner, device in
            let enrolled = try await owner.fixture.enroll(device).device
            _ = try await owner.fixture.records.record(
                signed: owner.purchases(boundTo: owner.phone.verificationID, isNaming: true),
                boundTo: device.verificationID, from: enrolled)
            return enrolled
        },
        "another login": { owner, device in try await owner.fixture.enroll(device, account: "thief").device },
        "another login and a copy of an app transaction": { owner, device in
            try await enrollWithCopy(owner, device, account: "thief")
        },
        "another login and a copy of a transaction": { owner, device in
            try await reportCopies(owner, device, try await owner.fixture.enroll(device, account: "thief").device)
        },
        "an app transaction that was signed for it": { owner, device in
            try await owner.fixture.enroll(device, "A").device
        },
        "a transaction that was signed for it": { owner, device in
            let enrolled = try await owner.fixture.enroll(device).device
            _ = try await owner.fixture.records.record(
                signed: owner.purchases(boundTo: device.verificationID), boundTo: device.verificationID,
                from: enrolled)
            return enrolled
        },
        "another login and an app transaction that was signed for it": { owner, device in
            try await owner.fixture.enroll(device, "A", account: "thief").device
        },
        "the customer's login": { owner, device in try await owner.fixture.enroll(device, account: "anna").device },
        "an invitation by a device of the customer": { owner, device in
            let invitation = try owner.fixture.invitation(by: owner.phone, try #require(owner.enrolled))
            return try await owner.fixture.enroll(device, invitation: invitation).device
        },
    ]

    /// Enrolls with a copy of an app transaction that a server has received, then with one from the owner's phone.
    private static func enrollWithCopy(
        _ owner: Owner, _ device: CustomersFixture.Device, account: String?
    ) async throws -> EnrolledDevice {
        var enrolled: EnrolledDevice?
        for copy in [nil, owner.phone.verificationID] {
            let request = try owner.fixture.request(
                device, appTransaction: try owner.appTransaction(boundTo: copy), account: account)
            let answer = try await owner.fixture.records.enroll(request, app: CustomersFixture.name)
            enrolled = try await owner.fixture.records.device(bearing: answer.token.token)
        }
        return try #require(enrolled)
    }

    private static func reportCopies(
        _ owner: Owner, _ device: CustomersFixture.Device, _ enrolled: EnrolledDevice
    ) async throws -> EnrolledDevice {
        for copy in [nil, owner.phone.verificationID] {
            let answers = try await owner.fixture.records.record(
                signed: owner.purchases(boundTo: copy) + [owner.appTransaction(boundTo: copy)],
                boundTo: device.verificationID, from: enrolled)
            #expect(answers.map(\.result) == [.elsewhere, .elsewhere, .elsewhere])
        }
        return enrolled
    }

    // MARK: Tests

    @Test func `the documented grid of devices and customers has each combination once`() {
        #expect(Set(Self.cells.map(\.shown)) == Set(Self.shown.keys))
        #expect(Set(Self.cells.map(\.holder)).count == 4)
        #expect(Self.cells.count == Self.shown.count * 4)
    }

    @Test(arguments: DatabaseKind.here, cells.filter { $0.expected != "–" })
    func `a new device belongs to the customer in the documented grid, and the owner loses nothing to a stranger`(
        _ kind: DatabaseKind, _ cell: Cell
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let owner = try await Self.owner(cell.holder, try await kind.scene(in: folder).database)
        let device = CustomersFixture.Device(name: "another device")
        let enroll = try #require(Self.shown[cell.shown])
        var enrolled: EnrolledDevice?
        do {
            enrolled = try await enroll(owner, device)
        } catch let error as CustomerError {
            #expect(error.code == .forbidden)
        }
        // The App Store may tell of the purchases later than a device does.
        try await owner.notify(1)

        if let enrolled {
            let owns = try await owner.fixture.possessions(of: enrolled.customer).names.contains("rome")
            #expect((owns ? "customer" : "stranger") == cell.expected)
        } else {
            #expect(cell.expected == "refused")
        }
        guard cell.expected != "customer" else { return }
        if let enrolled { try await Self.steal(from: owner, with: device, enrolled) }
        try await Self.expectNoLoss(of: owner)
    }

    /// Does with the device of a stranger what a thief may try after it has enrolled.
    private static func steal(
        from owner: Owner, with device: CustomersFixture.Device, _ enrolled: EnrolledDevice
    ) async throws {
        let fixture = owner.fixture
        _ = try await reportCopies(owner, device, enrolled)
        await #expect(throws: CustomerError.self) {
            try await fixture.records.spend(1, of: "coins", token: "theft", from: enrolled)
        }
        // The thief logs in after everything else, also with a copy of what proves the owner's store account.
        let loggedIn = try await enrollWithCopy(owner, device, account: "thief")
        _ = try await reportCopies(owner, device, loggedIn)
        #expect(try await fixture.possessions(of: loggedIn.customer).names == [])
        #expect(try await fixture.possessions(of: loggedIn.customer).wallets["coins", default: 0] == 0)
    }

    /// Expects that the owner's phone, also after a login, and a new phone have everything.
    private static func expectNoLoss(of owner: Owner) async throws {
        let fixture = owner.fixture
        if let enrolled = owner.enrolled {
            #expect(try await fixture.possessions(of: enrolled.customer).names.contains("rome"))
        }
        let first = try await owner.enroll(owner.phone, isLoggedIn: owner.hasLogin)
        #expect(try await fixture.possessions(of: first.customer).names.contains("rome"))
        #expect(try await fixture.records.spend(20, of: "coins", token: "first", from: first).balance == 30)
        let loggedIn = try await fixture.enroll(owner.phone, account: "anna").device
        let new = try await owner.enroll(CustomersFixture.Device(name: "new phone"), isLoggedIn: true)
        for device in [loggedIn, new] {
            #expect(try await fixture.possessions(of: device.customer).names.contains("rome"))
        }
        #expect(try await fixture.records.spend(30, of: "coins", token: "new", from: new).balance == 0)
    }

    // MARK: Ordinary customers

    @Test func `a new installation, a new phone and a second device of a store account have the customer's purchases`()
        async throws
    {
        let owner = try await Self.owner("customer without login", nil)
        for name in ["new installation", "new phone", "tablet"] {
            let device = try await owner.enroll(CustomersFixture.Device(name: name), isLoggedIn: false)
            #expect(device.customer == owner.enrolled?.customer)
            #expect(try await owner.fixture.possessions(of: device.customer).names == ["rome"])
        }
    }

    @Test func `a device that enrolled without an app transaction gets its purchases when it reports them`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let owner = Owner(fixture: fixture, hasLogin: false)
        let enrolled = try await fixture.enroll(owner.phone).device
        let answers = try await fixture.records.record(
            signed: owner.purchases(boundTo: owner.phone.verificationID)
                + [owner.appTransaction(boundTo: owner.phone.verificationID)],
            boundTo: owner.phone.verificationID, from: enrolled)
        #expect(answers.map(\.result) == [.accepted, .accepted, .accepted])
        #expect(try await fixture.possessions(of: enrolled.customer).names == ["rome"])
        let tablet = try await owner.enroll(CustomersFixture.Device(), isLoggedIn: false)
        #expect(tablet.customer == enrolled.customer)
    }

    @Test func `a transaction without a store account belongs to the device for which the store has signed it`()
        async throws
    {
        let fixture = try await CustomersFixture()
        let (phone, thief) = (CustomersFixture.Device(), CustomersFixture.Device())
        let (owner, other) = (try await fixture.enroll(phone).device, try await fixture.enroll(thief).device)
        let copy = try fixture.app.transaction("rome", id: "1")
        let bound = try fixture.app.transaction("rome", id: "1") { $0.bind(to: phone.verificationID) }
        for signed in [copy, bound] {
            let answers = try await fixture.records.record(signed: [signed], boundTo: thief.verificationID, from: other)
            #expect(answers.map(\.result) == [.elsewhere])
        }
        let answers = try await fixture.records.record(signed: [bound], boundTo: phone.verificationID, from: owner)
        #expect(answers.map(\.result) == [.known])
        #expect(try await fixture.possessions(of: owner.customer).names == ["rome"])
        #expect(try await fixture.possessions(of: other.customer).names == [])
    }

    @Test func `an enrolled device that proves a second store account stays with its customer`() async throws {
        let fixture = try await CustomersFixture()
        let phone = CustomersFixture.Device()
        let first = try await fixture.enroll(phone, "A").device
        let other = try await fixture.enroll(.init(), "B").device

        #expect(try await fixture.enroll(phone, "B").device.customer == first.customer)
        #expect(first.customer != other.customer)
        let lisbon = try fixture.app.transaction("lisbon", id: "2", account: "B") { $0.bind(to: phone.verificationID) }
        let answers = try await fixture.records.record(signed: [lisbon], boundTo: phone.verificationID, from: first)
        #expect(answers.map(\.result) == [.elsewhere])
        #expect(try await fixture.possessions(of: other.customer).names == ["lisbon"])
    }

    @Test func `an invitation is used once, within a minute, and only while the inviting device is enrolled`()
        async throws
    {
        let owner = try await Self.owner("customer with login", nil)
        let (fixture, enrolled) = (owner.fixture, try #require(owner.enrolled))
        func expectRefusal(of invitation: String) async {
            let error = await #expect(throws: CustomerError.self) {
                try await fixture.enroll(.init(), invitation: invitation)
            }
            #expect(error?.code == .unauthenticated)
        }
        let used = try fixture.invitation(by: owner.phone, enrolled)
        try await fixture.enroll(.init(), invitation: used)
        await expectRefusal(of: used)
        let late = try fixture.invitation(by: owner.phone, enrolled)
        fixture.clock.advance(by: 61)
        let forged = try fixture.invitation(by: CustomersFixture.Device(), enrolled)
        let open = try fixture.invitation(by: owner.phone, enrolled)
        try await fixture.records.leave(enrolled)
        for invitation in [late, forged, open] { await expectRefusal(of: invitation) }
    }
}
