internal import Foundation
internal import GRDB
internal import VitrineSupport

/// Connections that only read. Each has a thread of its own.
final class SQLiteReaders: Sendable {
    private let connections: [DatabaseQueue]
    /// Number of statements that wait for or use each connection.
    private let uses: Locked<[Int]>

    init(_ connections: [DatabaseQueue]) {
        self.connections = connections
        uses = Locked(connections.map { _ in 0 })
    }

    /// Returns the rows of a statement, from the connection that is used least.
    func rows(_ statement: SQLStatement) async -> Result<[SQLRow], DatabaseError> {
        let place = uses.withLock { uses in
            let place = uses.indices.min { uses[$0] < uses[$1] } ?? 0
            uses[place] += 1
            return place
        }
        defer { uses.withLock { $0[place] -= 1 } }
        return await withCheckedContinuation { continuation in
            connections[place].asyncWriteWithoutTransaction { database in
                do {
                    try statement.checkTexts()
                    continuation.resume(returning: .success(try SQLiteStatement(statement, in: database).rows()))
                } catch {
                    continuation.resume(returning: .failure(DatabaseError(sqlite: error)))
                }
            }
        }
    }

    func close() throws { for connection in connections { try connection.close() } }
}
