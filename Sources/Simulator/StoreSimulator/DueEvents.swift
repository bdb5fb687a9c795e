internal import GRDB

/// Scheduled changes that are due by a date: renewals and other changes of subscriptions, the expiry of requests for
/// approval, and extensions of the subscriptions of all customers. They are ordered by date, then by transaction
/// number.
struct DueEvents {
    struct Event {
        /// Date at which a scheduled change of the store is due, in milliseconds since 1970.
        let date: Int64
        let subject: Subject

        fileprivate var order: (Int64, Int64) {
            switch subject {
            case .request(let record): (date, record.number)
            case .subscription(let subscription): (date, subscription.id)
            case .extensions: (date, .max)
            }
        }
    }

    enum Subject {
        /// Request for approval of a purchase, which expires because it was not answered in time.
        case request(PurchaseRecord)
        case subscription(SubscriptionRecord)
        /// A server's request to extend the subscriptions of all customers.
        case extensions(MassExtensionRecord)
    }

    /// Validity of a request for approval: 24 hours, in milliseconds.
    private static let requestValidity: Int64 = 86_400_000

    private let limit: Int64
    /// Scheduled changes in reverse order, so that the next one is the last element.
    private var events: [Event] = []

    /// Reads the changes that are due by a date in milliseconds since 1970.
    init(until limit: Int64, in database: Database) throws {
        self.limit = limit
        guard let next = try Self.nextDate(in: database), next <= limit else { return }
        let subscriptions = try SubscriptionRecord.fetchAll(
            database.cachedStatement(sql: "SELECT * FROM subscription WHERE nextDate <= ?"), arguments: [limit])
        let requests = try PurchaseRecord.fetchAll(
            database.cachedStatement(
                sql: "SELECT * FROM purchase WHERE isPending = 1 AND isInterrupted = 0 AND purchaseDate <= ?"),
            arguments: [limit - Self.requestValidity])
        events = subscriptions.compactMap(Self.event)
        events += requests.map { Event(date: $0.purchaseDate + Self.requestValidity, subject: .request($0)) }
        let extensions = try MassExtensionRecord.fetchAll(
            database.cachedStatement(sql: "SELECT * FROM massExtension WHERE completeDate IS NULL AND dueDate <= ?"),
            arguments: [limit])
        events += extensions.map { Event(date: $0.dueDate, subject: .extensions($0)) }
        events.sort { $0.order > $1.order }
    }

    /// Replaces the scheduled changes of a subscription that another event has changed.
    mutating func replace(_ subscription: Int64, in database: Database) throws {
        events.removeAll { event in
            if case .subscription(let record) = event.subject { record.id == subscription } else { false }
        }
        try readAgain(subscription, in: database)
    }

    mutating func popFirst() -> Event? { events.popLast() }

    /// Adds the next scheduled change of a subscription, if it is due by the date limit of this list.
    mutating func readAgain(_ subscription: Int64, in database: Database) throws {
        let next = try Int64.fetchOne(
            database.cachedStatement(sql: "SELECT nextDate FROM subscription WHERE id = ? AND nextDate <= ?"),
            arguments: [subscription, limit])
        guard next != nil, let event = try SubscriptionRecord.fetch(subscription, from: database).flatMap(Self.event)
        else { return }
        events.insert(event, at: events.firstIndex { $0.order < event.order } ?? events.endIndex)
    }

    /// Returns the date of the store's next scheduled change, in milliseconds since 1970; `nil` if none is scheduled.
    static func nextDate(in database: Database) throws -> Int64? {
        let statement = try database.cachedStatement(
            sql: """
                SELECT MIN(date) FROM (
                    SELECT MIN(nextDate) AS date FROM subscription WHERE nextDate IS NOT NULL
                    UNION ALL
                    SELECT MIN(purchaseDate) + ? FROM purchase WHERE isPending = 1 AND isInterrupted = 0
                    UNION ALL
                    SELECT MIN(dueDate) FROM massExtension WHERE completeDate IS NULL
                )
                """)
        return try Int64?.fetchOne(statement, arguments: [requestValidity]) ?? nil
    }

    private static func event(_ subscription: SubscriptionRecord) -> Event? {
        subscription.nextDate.map { Event(date: $0, subject: .subscription(subscription)) }
    }
}
