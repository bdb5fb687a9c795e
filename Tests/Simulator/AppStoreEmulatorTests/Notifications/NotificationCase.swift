import Testing

/// Event of a simulated store, with the notifications that it causes.
struct NotificationCase: Sendable, CustomTestStringConvertible {
    let id: String
    /// Facts of the expected notifications, in order.
    let expected: [NotificationFacts]
    /// `true` if the offer code of `club.silver` is also for active subscribers.
    let hasCodeForSubscribers: Bool
    /// Function that prepares the store. Its notifications are not compared.
    let before: @Sendable (NotifiedStore) async throws -> Void
    let event: @Sendable (NotifiedStore) async throws -> Void

    init(
        _ id: String, _ expected: [NotificationFacts], hasCodeForSubscribers: Bool = false,
        before: @escaping @Sendable (NotifiedStore) async throws -> Void = { _ in },
        event: @escaping @Sendable (NotifiedStore) async throws -> Void
    ) {
        (self.id, self.expected, self.hasCodeForSubscribers) = (id, expected, hasCodeForSubscribers)
        (self.before, self.event) = (before, event)
    }

    var testDescription: String { id }

    /// Cases of all rows of the table.
    static let all: [NotificationCase] = [
        oneTimeCharges, firstSubscriptions, laterSubscriptions, renewals, plans, renewalStatus, offers, prices,
        failures, recoveries, ends, cancellations, refunds, refundRequests, revocations, extensions, tests, chains,
    ].flatMap(\.self)

    /// First case of each row of the table, if it has one.
    static let firstOfEachRow = NotificationTable.rows.compactMap { row in
        all.first { $0.expected.contains { $0.row == row.id } }
    }

    /// Returns the configuration of the store.
    func configuration(_ text: String) -> String {
        hasCodeForSubscribers ? text.replacing("\"new\",", with: "\"new\", \"existing\",") : text
    }
}
