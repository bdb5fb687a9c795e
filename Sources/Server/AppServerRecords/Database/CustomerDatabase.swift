internal import Foundation
package import VitrineSupport

/// Database of an app's server: SQLite in a file or in memory, or PostgreSQL.
///
/// All databases run the same statements. A statement that depends on earlier reads must repeat their results in its
/// conditions, because another task or server may have changed the database since.
package protocol CustomerDatabase: Sendable {
    /// `true` if other servers may change the database.
    var isShared: Bool { get }

    /// Applies the missing migrations in order, each in its own transaction, while no other server does so. The table
    /// `migration` stores the number of the last one.
    ///
    /// - Throws: ``DatabaseError``: `newerVersion` for a database with a later migration than the last given one.
    func migrate(_ migrations: [SQLMigration]) async throws(DatabaseError)

    /// Returns the rows of a statement that only reads.
    ///
    /// - Throws: ``DatabaseError``.
    func rows(_ statement: SQLStatement) async throws(DatabaseError) -> [SQLRow]

    /// Runs the statements of a caller in one transaction, which may include those of other callers. If one statement
    /// fails, none of this caller's statements takes effect. Returns once the changes are durable.
    ///
    /// The first value of the first statement should be the identifier of the customer, because servers lock customers
    /// in this order.
    ///
    /// - Returns: The number of changed rows of each statement.
    /// - Throws: ``DatabaseError``: `conflict` if a constraint of a table refuses a statement.
    func write(_ statements: [SQLStatement]) async throws(DatabaseError) -> [Int]

    /// Runs statements in a transaction of their own, which is rolled back if one of them changes a different number of
    /// rows than required.
    ///
    /// - Returns: `true` once all changes are durable, `false` if nothing was changed.
    /// - Throws: ``DatabaseError``: `conflict` if a constraint of a table refuses a statement.
    func transact(_ steps: [SQLStep]) async throws(DatabaseError) -> Bool

    /// Announces changes of customers to all servers of the database, including this one. The message may be delayed
    /// or lost.
    func announce(_ changes: [ChangedCustomer])

    /// Returns a stream of the messages about changes of customers from now on.
    func announcements() -> AsyncStream<DatabaseAnnouncement>

    /// Closes all connections. Later calls fail.
    func close() async
}

/// Change of a customer that is committed.
package struct ChangedCustomer: Sendable, Hashable {
    /// Identifier of the customer.
    package let id: String
    /// Sequence number of the customer's last fact; `nil` if the customer was merged into another one, or erased.
    package let sequence: Int64?

    package init(_ id: String, sequence: Int64?) { (self.id, self.sequence) = (id, sequence) }
}

/// Message about changes of customers.
package enum DatabaseAnnouncement: Sendable, Hashable {
    case changed([ChangedCustomer])
    /// Messages may have been lost, so that any customer may have changed.
    case missed

    /// Returns a channel for the messages of a database in this process. A reader that is more than a thousand messages
    /// behind receives ``missed`` in place of the lost messages.
    package static func broadcast() -> Broadcast<DatabaseAnnouncement> {
        Broadcast(keepingNewest: 1_024, missed: .missed)
    }
}

/// Error of the database of an app's server.
package typealias DatabaseError = CodedError<DatabaseErrorCode>

/// Category of ``DatabaseError``.
package enum DatabaseErrorCode: String, ErrorCode {
    /// The database cannot be reached, read or written at the moment. Whether a change was made is unknown.
    case unavailable
    /// A constraint of a table refuses a statement, because earlier reads are outdated or a value is wrong.
    case conflict
    /// The database was created by a later version of Vitrine.
    case newerVersion = "newer-version"
    /// The database is used by another server, or was not created by Vitrine.
    case refused

    package var advice: String? {
        switch self {
        case .unavailable: "Check that the database is running, and that its disk has space, then try again."
        case .conflict: "Try again."
        case .newerVersion: "Update the server."
        case .refused: "Use another database, or end the other server."
        }
    }
}
