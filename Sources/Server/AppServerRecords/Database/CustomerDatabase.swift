internal import Foundation
package import VitrineSupport

/// Database of an app's server: SQLite in a file or in memory, or PostgreSQL.
///
/// The statements are the same for all of them. A statement that follows from what was read before must say so in its
/// conditions, because another task or another server may have changed the database since.
package protocol CustomerDatabase: Sendable {
    /// `true` if other servers may change the database.
    var isShared: Bool { get }

    /// Applies the migrations that the database lacks, in their order, each in a transaction of its own, while no other
    /// server does the same. The number of the last one is kept in the table `migration`.
    ///
    /// - Throws: ``DatabaseError``: `newerVersion` for a database with a later migration than the last of these.
    func migrate(_ migrations: [SQLMigration]) async throws(DatabaseError)

    /// Returns the rows of a statement that only reads.
    ///
    /// - Throws: ``DatabaseError``.
    func rows(_ statement: SQLStatement) async throws(DatabaseError) -> [SQLRow]

    /// Runs statements in one transaction, possibly together with those of other callers: all of them or, if one fails,
    /// none of this caller's. Returns once they are durable.
    ///
    /// The first value of the first statement should be the identifier of the customer: transactions of several servers
    /// lock customers in this order.
    ///
    /// - Returns: The number of rows that each statement has changed.
    /// - Throws: ``DatabaseError``: `conflict` if a constraint of a table refuses a statement.
    func write(_ statements: [SQLStatement]) async throws(DatabaseError) -> [Int]

    /// Runs statements in a transaction of their own, which is undone as soon as one has changed another number of rows
    /// than required.
    ///
    /// - Returns: `true` if all of them are durable, `false` if none has changed anything.
    /// - Throws: ``DatabaseError``: `conflict` if a constraint of a table refuses a statement.
    func transact(_ steps: [SQLStep]) async throws(DatabaseError) -> Bool

    /// Tells all servers of the database, this one included, that customers have changed. It may take a moment, and a
    /// message may be lost.
    func announce(_ customers: [String])

    /// Returns the messages about changed customers from now on.
    func announcements() -> AsyncStream<DatabaseAnnouncement>

    /// Ends all connections. Later calls fail.
    func close() async
}

/// Message about changed customers.
package enum DatabaseAnnouncement: Sendable, Hashable {
    /// Identifiers of customers that have changed.
    case changed([String])
    /// Messages may have been lost: every customer may have changed.
    case missed
}

/// Error of the database of an app's server.
package typealias DatabaseError = CodedError<DatabaseErrorCode>

/// Category of ``DatabaseError``.
package enum DatabaseErrorCode: String, ErrorCode {
    /// The database cannot be reached, read or written now. Whether a change was made is unknown.
    case unavailable
    /// A constraint of a table refuses a statement: what was read before has changed, or is wrong.
    case conflict
    /// The database was made by a later version of Vitrine.
    case newerVersion = "newer-version"
    /// The database is used by another server, or is not one of Vitrine's.
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
