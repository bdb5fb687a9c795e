internal import Foundation
internal import GRDB
internal import VitrineSupport

/// Read-only SQLite connections, each with a thread of its own.
final class SQLiteReaders: Sendable {
    private let connections: [DatabaseQueue]
    /// Number of waiting and running statements of each connection.
    private let uses: Locked<[Int]>

    init(_ connections: [DatabaseQueue]) {
        self.connections = connections
        uses = Locked(connections.map { _ in 0 })
    }

    /// Runs a statement on the least used connection, and returns its rows.
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
