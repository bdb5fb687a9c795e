#if PostgreSQL
    internal import VitrineAppServerRecords
    internal import VitrineSupport

    /// Connection that a thread makes again after it was lost.
    final class PostgreSQLReconnection {
        private let address: PostgreSQLAddress
        private let limits: PostgreSQLLimits
        private let pause: (Duration) -> Bool
        private var connection: PostgreSQLConnection?
        /// The last attempts, if they have failed.
        private var outage: Outage?

        private struct Outage {
            let since: ContinuousClock.Instant
            var next: ContinuousClock.Instant
            var pause = Duration.milliseconds(25)
            var error: DatabaseError
        }

        private static let longestPause = Duration.seconds(1)

        /// - Parameter pause: Function that waits for a duration, and returns `false` if no more attempts are to follow.
        init(_ address: PostgreSQLAddress, limits: PostgreSQLLimits, pause: @escaping (Duration) -> Bool) {
            (self.address, self.limits, self.pause) = (address, limits, pause)
        }

        /// Returns the connection. Makes a new one if there is none, with several attempts until the patience with requests
        /// ends. In a long outage one attempt is made a second, and the last error is thrown in between.
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

        /// Ends the connection, which is lost.
        func drop() { connection = nil }
    }
#endif
