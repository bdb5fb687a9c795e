#if PostgreSQL
    internal import CVitrinePQ
    internal import VitrineAppServerRecords
    internal import VitrineFileSystem
    internal import VitrineSupport
    internal import Foundation

    /// Sender and receiver of messages about changes of customers, with a connection and a thread of its own.
    ///
    /// PostgreSQL lets only one transaction at a time send messages. Changes are therefore collected for a moment and
    /// sent together. A line of a message is the identifier of a customer and, unless the customer was merged into
    /// another one or erased, a space and the sequence number of the last fact.
    final class PostgreSQLListener: Sendable {
        private struct State: Sendable {
            /// Sequence numbers of changed customers that are not yet announced to the other servers.
            var customers: [String: Int64?] = [:]
            /// `true` if there are too many changed customers to list; the message then means that any customer may
            /// have changed.
            var isEveryone = false
            var due: ContinuousClock.Instant?
            var isClosed = false

            mutating func insert(_ changes: some Sequence<ChangedCustomer>) {
                for change in changes {
                    // A merged customer has no further facts, and changes may arrive in another order than they were
                    // made.
                    let known: Int64? = customers[change.id] ?? 0
                    customers.updateValue(
                        known.flatMap { known in change.sequence.map { max(known, $0) } }, forKey: change.id)
                }
                if customers.count > PostgreSQLListener.mostCustomers { (customers, isEveryone) = ([:], true) }
            }
        }

        private let state = Locked(State())
        private let streams: Broadcast<DatabaseAnnouncement>
        private let address: PostgreSQLAddress
        private let limits: PostgreSQLLimits
        private let wake: WakePipe

        /// Name of PostgreSQL's notification channel.
        private static let channel = "vitrine_customers"
        /// Maximum length of a message in bytes. PostgreSQL's limit is 7,999.
        private static let mostBytes = 7_900
        /// Maximum number of customers that wait to be announced.
        private static let mostCustomers = 100_000

        init(
            _ address: PostgreSQLAddress, limits: PostgreSQLLimits, streams: Broadcast<DatabaseAnnouncement>
        ) throws(DatabaseError) {
            (self.address, self.limits, self.streams) = (address, limits, streams)
            wake = try WakePipe()
        }

        func announce(_ changes: [ChangedCustomer]) {
            guard !changes.isEmpty else { return }
            let wakes = state.withLock { state in
                state.insert(changes)
                guard state.due == nil else { return false }
                state.due = ContinuousClock().now + limits.gathering
                return true
            }
            if wakes { wake.signal() }
        }

        /// Stops the thread of the listener.
        func close() {
            state.withLock { $0.isClosed = true }
            wake.signal()
        }

        // MARK: The thread

        /// Connects and processes messages until ``close()`` is called.
        ///
        /// - Parameter opened: Function that is called once, with the result of the first attempt to connect. If that
        ///   fails, the thread ends.
        func run(opened: (Result<Void, DatabaseError>) -> Void) {
            let reconnection = PostgreSQLReconnection(address, limits: limits, pause: pause)
            do throws(DatabaseError) {
                try listen(on: reconnection.use())
            } catch {
                return opened(.failure(error))
            }
            opened(.success(()))
            while !isClosed {
                do throws(DatabaseError) {
                    try follow(reconnection.use())
                } catch {
                    reconnection.drop()
                    reconnect(reconnection)
                }
            }
        }

        private var isClosed: Bool { state.withLock { $0.isClosed } }

        /// Replaces a lost connection, and informs the streams that messages may have been lost.
        private func reconnect(_ reconnection: PostgreSQLReconnection) {
            while !isClosed {
                do throws(DatabaseError) {
                    try listen(on: reconnection.use())
                    return streams.send(.missed)
                } catch {
                    reconnection.drop()
                    _ = pause(.milliseconds(100))
                }
            }
        }

        private func pause(_ duration: Duration) -> Bool {
            wake.wait(beside: -1, for: duration)
            return !isClosed
        }

        private func listen(on connection: PostgreSQLConnection) throws(DatabaseError) {
            do throws(PostgreSQLFailure) {
                _ = try connection.require([SQLStatement("LISTEN \(Self.channel)")])
            } catch {
                throw error.error
            }
        }

        /// Sends and receives messages until ``close()`` is called, and then sends the remaining ones.
        private func follow(_ connection: PostgreSQLConnection) throws(DatabaseError) {
            while !isClosed {
                // Messages that arrived together with a result are already read from the socket, and would not end the
                // wait below.
                receive(from: connection)
                let now = ContinuousClock().now
                let due = state.withLock { $0.due }
                wake.wait(beside: PQsocket(connection.handle), for: due.map { max($0 - now, .zero) })
                guard connection.isAlive else { throw connection.lost().error }
                if let due, ContinuousClock().now >= due { try send(over: connection) }
            }
            if state.withLock({ $0.due != nil }) { try send(over: connection) }
        }

        private func receive(from connection: PostgreSQLConnection) {
            // `PQisBusy` parses the messages in libpq's buffer.
            _ = PQisBusy(connection.handle)
            while let message = PQnotifies(connection.handle) {
                let changes = String(cString: message.pointee.extra).split(separator: "\n").map { line in
                    let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
                    return ChangedCustomer(String(parts[0]), sequence: parts.count > 1 ? Int64(parts[1]) : nil)
                }
                PQfreemem(message)
                streams.send(changes.isEmpty ? .missed : .changed(changes))
            }
        }

        private func send(over connection: PostgreSQLConnection) throws(DatabaseError) {
            let (customers, isEveryone) = state.withLock { state in
                defer { (state.customers, state.isEveryone, state.due) = ([:], false, nil) }
                return (state.customers.map { ChangedCustomer($0.key, sequence: $0.value) }, state.isEveryone)
            }
            let messages = isEveryone ? [""] : Self.messages(customers)
            do throws(PostgreSQLFailure) {
                for message in messages {
                    _ = try connection.require([
                        SQLStatement("SELECT pg_notify($1, $2)", .text(Self.channel), .text(message))
                    ])
                }
            } catch {
                // The next connection sends these customers again.
                state.withLock { state in
                    state.insert(customers)
                    state.isEveryone = state.isEveryone || isEveryone
                    state.due = ContinuousClock().now
                }
                throw error.error
            }
        }

        private static func messages(_ changes: [ChangedCustomer]) -> [String] {
            var messages: [String] = []
            var length = Int.max
            for change in changes {
                let line = change.sequence.map { "\(change.id) \($0)" } ?? change.id
                let count = line.utf8.count + 1
                if length > mostBytes - count {
                    messages.append(line)
                    length = count
                } else {
                    messages[messages.count - 1] += "\n\(line)"
                    length += count
                }
            }
            return messages
        }
    }

    /// Pipe whose signal ends the wait of a thread.
    private final class WakePipe: Sendable {
        private let output: CInt
        private let input: CInt

        init() throws(DatabaseError) {
            var ends: [CInt] = [-1, -1]
            guard pipe(&ends) == 0 else {
                throw DatabaseError(code: .unavailable, reason: FileSystemError(lastAt: URL(filePath: "/")).reason)
            }
            (output, input) = (ends[0], ends[1])
            for end in ends {
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
            }
        }

        deinit {
            Foundation.close(output)
            Foundation.close(input)
        }

        func signal() {
            var byte: UInt8 = 0
            // A failed write to a full pipe does no harm, because a full pipe wakes the thread as well.
            _ = write(input, &byte, 1)
        }

        /// Waits for a signal, until another descriptor is readable, or for a duration.
        func wait(beside descriptor: CInt, for duration: Duration?) {
            var descriptors = [
                pollfd(fd: output, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let time = duration.map { CInt(clamping: $0.milliseconds) } ?? -1
            guard poll(&descriptors, 2, time) > 0, descriptors[0].revents != 0 else { return }
            var bytes = [UInt8](repeating: 0, count: 64)
            while read(output, &bytes, 64) == 64 {}
        }
    }
#endif
