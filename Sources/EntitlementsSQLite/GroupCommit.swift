internal import Dispatch
internal import Entitlements
internal import Foundation
internal import GRDB
internal import Synchronization

/// Commits what is appended while another commit is under way in one transaction. Each caller is answered for its own
/// facts, and only once they are on the disk.
final class GroupCommit: Sendable {
    typealias Answer = Result<[LedgerEntry], LedgerError>

    private struct Request: Sendable {
        let facts: [DatedFact]
        let answer: @Sendable (Answer) -> Void
    }

    private struct Waiting: Sendable {
        var requests: [Request] = []
        var isCommitting = false
    }

    private let database: DatabaseQueue
    private let waiting = Mutex(Waiting())
    private let queue = DispatchQueue(label: "Vitrine ledger commits")

    /// A transaction holds the database for others too.
    private static let mostRequests = 256

    init(_ database: DatabaseQueue) { self.database = database }

    func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry] {
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
            let request = Request(facts: facts) { continuation.resume(returning: $0) }
            let isFirst = waiting.withLock { waiting in
                waiting.requests.append(request)
                defer { waiting.isCommitting = true }
                return !waiting.isCommitting
            }
            if isFirst { queue.async { self.commitAll() } }
        }
        return try answer.get()
    }

    private func commitAll() {
        while true {
            let group = waiting.withLock { waiting in
                let group = Array(waiting.requests.prefix(Self.mostRequests))
                waiting.requests.removeFirst(group.count)
                waiting.isCommitting = !group.isEmpty
                return group
            }
            guard !group.isEmpty else { return }
            for (request, answer) in zip(group, answers(to: group)) { request.answer(answer) }
        }
    }

    /// Where a group cannot be committed together, each is committed alone: one must not fail because of another.
    private func answers(to group: [Request]) -> [Answer] {
        do {
            return try commit(group)
        } catch  where group.count > 1 {
            return group.flatMap { answers(to: [$0]) }
        } catch {
            return [.failure(LedgerError(storage: error))]
        }
    }

    private func commit(_ group: [Request]) throws -> [Answer] {
        var answers: [Answer] = []
        try database.writeWithoutTransaction { database in
            try database.inTransaction(.immediate) {
                let table = EntryTable(database: database)
                for request in group { answers.append(try Self.record(request, in: table)) }
                return .commit
            }
        }
        return answers
    }

    /// - Returns: The failure of a request that the rules refuse: nothing of it has been written then.
    private static func record(_ request: Request, in table: EntryTable) throws -> Answer {
        var rules = LedgerRules(table)
        do {
            for fact in request.facts { try rules.check(fact) }
        } catch let error as LedgerError where error.code != .damaged {
            return .failure(error)
        }
        return .success(
            try rules.accepted.map { accepted in
                var fields = EntryFields(fact: accepted.fact, recordedAt: accepted.date)
                fields.sequence = try table.insert(fields, balance: accepted.balance)
                return try fields.entry()
            })
    }
}
