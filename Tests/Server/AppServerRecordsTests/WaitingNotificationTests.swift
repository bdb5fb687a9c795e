import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineTestSupport

/// Notifications that wait for a catalog with their product.
@Suite(.hangLimit) struct WaitingNotificationTests {
    /// Two notifications about a product that the published catalog does not have, of two customers.
    private struct Scene {
        let database: any CustomerDatabase
        let fixture: CustomersFixture

        init(_ kind: DatabaseKind, in folder: TemporaryFolder) async throws {
            database = try await kind.scene(in: folder).database
            fixture = try await CustomersFixture(database: database)
            for (id, storeAccount) in [("1", "A"), ("2", "B")] {
                let map = try fixture.app.transaction("map", id: id, account: storeAccount) {
                    $0.productIdentifier = "map"
                }
                let notification = try fixture.app.notification(.oneTimeCharge, id: "n\(id)", transaction: map)
                #expect(try await fixture.receive(notification) == .waiting)
                fixture.clock.advance(by: 1)
            }
        }

        func notification(_ id: String) async throws -> NotificationRecord {
            let all = try await fixture.records.notifications(state: nil, app: nil, before: nil, limit: 10)
            return try #require(all.first { $0.id == id })
        }

        /// Publishes a catalog with the product.
        func publish() async throws {
            try await fixture.replaceCatalog(try Data(contentsOf: Repository.sample("Club.plist")))
        }

        /// Returns the products of the customer with the second notification.
        func products() async throws -> [String] {
            let phone = try await fixture.enroll(.init(), "B").device
            return try await fixture.possessions(of: phone.customer).owned.map(\.product)
        }
    }

    @Test(arguments: DatabaseKind.here)
    func `a notification of an erased customer waits no longer, and the notifications of others are delivered`(
        _ kind: DatabaseKind
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let scene = try await Scene(kind, in: folder)
        let customer = try #require(try await scene.notification("n1").customer)
        try await scene.fixture.records.erase(customer, token: "case-1", reason: "asked for it", by: "admin")
        #expect(try await scene.notification("n1").state == "noted")
        #expect(try await scene.notification("n2").state == "waiting")

        try await scene.publish()

        #expect(try await scene.notification("n1").state == "noted")
        #expect(try await scene.notification("n2").state == "recorded")
        #expect(try await scene.products() == ["map"])
        // Nothing of it is left to be processed again.
        let error = await #expect(throws: CustomerError.self) {
            try await scene.fixture.records.receiveAgain(notification: "n1", app: CustomersFixture.name)
        }
        #expect(error?.code == .notFound)
    }

    @Test(arguments: DatabaseKind.here)
    func `a notification that is decided with the earlier catalog during a publication is delivered`(
        _ kind: DatabaseKind
    ) async throws {
        let database = try await ObservedDatabase(kind)
        let fixture = try await CustomersFixture(database: database)
        let club = try Data(contentsOf: Repository.sample("Club.plist"))
        let map = try fixture.app.transaction("map", id: "1", account: "A") { $0.productIdentifier = "map" }
        database.interrupt("INSERT INTO notification") {
            await #expect(throws: Never.self) { try await fixture.replaceCatalog(club) }
        }
        let notification = try fixture.app.notification(.oneTimeCharge, id: "n1", transaction: map)
        #expect(try await fixture.receive(notification) == .recorded)
    }

    @Test(arguments: DatabaseKind.here)
    func `a catalog does not replace one that was published after the two were compared`(_ kind: DatabaseKind)
        async throws
    {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let fixture = try await CustomersFixture(database: try await kind.scene(in: folder).database)
        let (file, app) = (CustomerRecords.catalogFile, CustomersFixture.name)
        let compared = try #require(try await fixture.records.catalogFile(file, app: app)?.content)
        let later = try Data(contentsOf: Repository.sample("Club.plist"))
        try await fixture.replaceCatalog(later)

        for earlier in [compared, nil] as [Data?] {
            let error = await #expect(throws: CustomerError.self) {
                try await fixture.records.publish([file: compared], after: earlier, app: app)
            }
            #expect(error?.code == .conflict)
        }
        #expect(try await fixture.records.catalogFile(file, app: app)?.content == later)
    }

    /// The second server has loaded its catalog before the publication, and its first attempt to load it again fails.
    @Test(arguments: DatabaseKind.here)
    func `a server that has missed a publication delivers what it has noted as waiting when it has loaded the catalog`(
        _ kind: DatabaseKind
    ) async throws {
        let database = try await ObservedDatabase(kind)
        let fixture = try await CustomersFixture(database: database)
        let other = try await CustomersFixture(app: fixture.app, database: database)
        try await fixture.replaceCatalog(Data(contentsOf: Repository.sample("Club.plist")))
        let map = try fixture.app.transaction("map", id: "1", account: "A") { $0.productIdentifier = "map" }
        let notification = try fixture.app.notification(.oneTimeCharge, id: "n1", transaction: map)
        #expect(try await other.receive(notification) == .waiting)

        database.failReads(of: "FROM catalog")
        let (changes, continuation) = AsyncStream.makeStream(of: DatabaseAnnouncement.self)
        let running = Task {
            await other.records.run(sleep: { _ in database.failReads(of: nil) }) { continuation.yield($0) }
        }
        for await _ in changes { break }
        running.cancel()
        await running.value
        let phone = try await fixture.enroll(.init(), "A").device
        #expect(try await fixture.possessions(of: phone.customer).owned.map(\.product) == ["map"])
    }

    @Test(arguments: DatabaseKind.here)
    func `a waiting notification that is refused keeps waiting with the reason, and the next one is delivered`(
        _ kind: DatabaseKind
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let scene = try await Scene(kind, in: folder)
        let before = try await scene.notification("n1")
        _ = try await scene.database.write([SQLStatement("UPDATE notification SET payload = 'a.b.c' WHERE id = 'n1'")])

        try await scene.publish()

        let refused = try await scene.notification("n1")
        #expect(refused.state == "waiting")
        #expect(refused.reason != nil)
        #expect(refused.reason != before.reason)
        #expect(try await scene.notification("n2").state == "recorded")
        #expect(try await scene.products() == ["map"])
    }

    @Test(arguments: DatabaseKind.here)
    func `a waiting notification whose customer cannot be read fails the publication, and the next one is delivered`(
        _ kind: DatabaseKind
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let scene = try await Scene(kind, in: folder)
        let customer = try #require(try await scene.notification("n1").customer)
        func addToSequence(_ count: Int64) async throws {
            _ = try await scene.database.write([
                SQLStatement(
                    "UPDATE customer SET sequence = sequence + $2, writer = $3 WHERE id = $1", .text(customer),
                    .integer(count), .text("other \(count)"))
            ])
        }
        // The database lacks facts of the customer.
        try await addToSequence(5)

        let error = await #expect(throws: CustomerError.self) { try await scene.publish() }
        #expect(error?.code == .unavailable)
        let unread = try await scene.notification("n1")
        #expect(unread.state == "waiting")
        #expect(unread.reason == error?.reason)
        #expect(try await scene.notification("n2").state == "recorded")
        #expect(try await scene.products() == ["map"])

        try await addToSequence(-5)
        try await scene.fixture.records.completePublication(app: CustomersFixture.name)
        #expect(try await scene.notification("n1").state == "recorded")
    }
}
