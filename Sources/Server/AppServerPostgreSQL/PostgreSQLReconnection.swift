#if PostgreSQL
    internal import VitrineAppServerRecords
    internal import VitrineSupport

    /// Connection of one thread, which is established again after it was lost.
    final class PostgreSQLReconnection {
        private let address: PostgreSQLAddress
        private let limits: PostgreSQLLimits
        private let pause: (Duration) -> Bool
        private var connection: PostgreSQLConnection?
        /// Current outage; `nil` after a successful attempt to connect.
        private var outage: Outage?

        private struct Outage {
            let since: ContinuousClock.Instant
            var next: ContinuousClock.Instant
            var pause = Duration.milliseconds(25)
            var error: DatabaseError
        }

        private static let longestPause = Duration.seconds(1)

        /// - Parameter pause: Function that waits for a duration, and returns `false` if no further attempt must be
        ///   made.
        init(_ address: PostgreSQLAddress, limits: PostgreSQLLimits, pause: @escaping (Duration) -> Bool) {
            (self.address, self.limits, self.pause) = (address, limits, pause)
        }

        /// Returns the connection, or establishes a new one. After the start of an outage it makes several attempts for
        /// at most ``PostgreSQLLimits/patience``; later it makes about one attempt per second, and otherwise throws the
        /// last error immediately.
        func use() throws(DatabaseError) -> PostgreSQLConnection {
            if let connection, connection.isAlive { return connection }
            connection = nil
            while true {
                let now = ContinuousClock().now
                if let outage, now < outage.next {
                    guard now < outage.since + limits.patience, pause(outage.next - now) else { throw outage.error }
                }
                do throws(DatabaseError) {
                    let connection = try PostgreSQLConnection(address, limits: limits)
                    (self.connection, outage) = (connection, nil)
                    return connection
                } catch {
                    try note(error)
                }
            }
        }

        private func note(_ error: DatabaseError) throws(DatabaseError) {
            let now = ContinuousClock().now
            var outage = outage ?? Outage(since: now, next: now, error: error)
            outage.error = error
            outage.pause = min(outage.pause * 2, Self.longestPause)
            outage.next = now + outage.pause
            self.outage = outage
            guard now < outage.since + limits.patience, error.code == .unavailable else { throw error }
        }

        /// Drops the lost connection.
        func drop() { connection = nil }
    }
#endif
