internal import Foundation
internal import VitrineAppServerAPI
internal import VitrineAppServerRecords
internal import VitrineSupport

/// Checks of a server's database. Its counts are cached for a minute.
package final class ServerChecks: Sendable {
    private static let validity: TimeInterval = 60
    /// Time in seconds without a notification of the store, after which the server reports a warning.
    private static let silence: TimeInterval = 24 * 3_600

    private let records: CustomerRecords
    private let addresses: ClientAddress
    private let limit: Duration
    private let now: @Sendable () -> Date
    private let start: Date
    private let last = Locked<(counts: ServerCounts, date: Date)?>(nil)
    private let counting = Locked<Task<Result<ServerCounts, CustomerError>, Never>?>(nil)
    /// Channel for the answers of the database: `true` if it responds.
    private let answers = Broadcast<Bool>()
    private let isAsking = Locked(false)

    /// - Parameter limit: Maximum time of the database to answer the check.
    init(
        _ records: CustomerRecords, _ addresses: ClientAddress, within limit: Duration,
        now: @escaping @Sendable () -> Date
    ) {
        (self.records, self.addresses, self.limit, self.now, start) = (records, addresses, limit, now, now())
    }

    /// Returns the counts of customers, devices and notifications in the database, at most a minute old.
    func counts() async throws(CustomerError) -> ServerCounts {
        let now = now()
        if let last = last.withLock({ $0 }), (0..<Self.validity).contains(now.timeIntervalSince(last.date)) {
            return last.counts
        }
        // Requests at the same time share one count.
        let task = counting.withLock { counting in
            if let counting { return counting }
            let task = Task { await count(at: now) }
            counting = task
            return task
        }
        return try await task.value.get()
    }

    private func count(at date: Date) async -> Result<ServerCounts, CustomerError> {
        defer { counting.withLock { $0 = nil } }
        do throws(CustomerError) {
            let counts = try await records.counts()
            last.withLock { $0 = (counts, date) }
            return .success(counts)
        } catch {
            return .failure(error)
        }
    }

    /// Checks that the database responds within the time limit.
    ///
    /// - Throws: ``ErrorResponse`` with status 503.
    func checkDatabase() async throws(ErrorResponse) {
        let (answers, end) = answers.subscription()
        ask()
        let waiting = Task { [limit] in
            do { try await Task.sleep(for: limit) } catch {}
            end()
        }
        defer { waiting.cancel() }
        guard await answers.first(where: { _ in true }) == true else {
            throw .unavailable("The database does not answer.")
        }
    }

    /// Asks the database, unless an earlier question has no answer yet. A question cannot be canceled, so that checks neither
    /// wait for its end nor ask another one meanwhile.
    private func ask() {
        let isFirst = isAsking.withLock { isAsking in
            defer { isAsking = true }
            return !isAsking
        }
        guard isFirst else { return }
        Task {
            let isThere: Bool
            do throws(CustomerError) {
                try await records.checkDatabase()
                isThere = true
            } catch {
                isThere = false
            }
            isAsking.withLock { $0 = false }
            answers.send(isThere)
        }
    }

    /// Returns warnings for operators that do not affect the readiness of the server.
    func warnings() async throws(CustomerError) -> [String] {
        let newest = try await records.lastNotification()
        let silent = now().timeIntervalSince(newest ?? start)
        let silence = silent >= Self.silence ? ["no notification of the store for \(Int(silent / 3_600)) hours"] : []
        return silence + addresses.warnings
    }
}

extension ErrorResponse {
    /// Creates the error response of a server that is temporarily unavailable.
    static func unavailable(_ message: String) -> ErrorResponse {
        var errorResponse = ErrorResponse(WireErrorCode.unavailable, message)
        errorResponse.isRetryable = true
        return errorResponse
    }
}
