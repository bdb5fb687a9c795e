import Testing
import VitrineReceipts
import VitrineStoreSimulator

/// Notifications to the app's server: their types and subtypes, and what they contain.
@Suite struct NotificationTableTests {
    @Test(arguments: NotificationCase.all)
    func `each store event creates the notifications that the notification table lists`(_ example: NotificationCase)
        async throws
    {
        try await check(example, in: .sandbox)
    }

    @Test(arguments: NotificationCase.firstOfEachRow)
    func `the production environment sends the same notifications as the sandbox, with the app's Apple ID`(
        _ example: NotificationCase
    ) async throws {
        try await check(example, in: .production)
    }

    private func check(_ example: NotificationCase, in environment: StoreEnvironment) async throws {
        try await NotifiedStore.run(in: environment, edit: example.configuration) { notified in
            try await example.before(notified)
            let count = try await notified.store.notifications().count
            try await example.event(notified)
            #expect(try await notified.facts(after: count) == example.expected)
        }
    }

    @Test func `each row of the notification table has a test case or a reason for its exclusion`() {
        let caused = Set(NotificationCase.all.flatMap { $0.expected.map(\.row) })
        let excluded = NotificationTable.rows.filter { $0.exclusion != nil }.map(\.id)

        #expect(Set(NotificationTable.rows.map(\.id)).count == NotificationTable.rows.count)
        #expect(NotificationTable.rows.count == 39)
        #expect(caused.isDisjoint(with: excluded))
        #expect(caused.union(excluded) == Set(NotificationTable.rows.map(\.id)))
        #expect(Set(NotificationCase.all.map(\.id)).count == NotificationCase.all.count)
    }
}
