public import Foundation
internal import VitrineCatalog
package import VitrineEntitlements
public import VitrineSupport

/// Key-value store that the devices of a customer share, such as iCloud's.
public protocol KeyValueStorage: Sendable {
    /// Returns all values that Vitrine has stored, by key.
    ///
    /// - Throws: ``ExchangeError`` `transport` if the store cannot be used.
    func values() async throws(ExchangeError) -> [String: Data]

    /// Stores a value for a key, replacing the earlier value.
    ///
    /// - Throws: ``ExchangeError`` `transport` if the store cannot be used.
    func store(_ value: Data, for key: String) async throws(ExchangeError)
}

/// Exchange of sums through a key-value store. Each device has one key.
///
/// Units that devices have spent beyond the balance are always owed, because forgiving them would require the order of
/// single debits, which sums do not contain. For the same reason no balance is adjusted: a refund removes as many units
/// as the device that recorded the refund has removed.
package struct KeyValueExchange: Sendable {
    let entitlements: EntitlementStore
    let storage: any KeyValueStorage
    let key: LedgerSealKey?
    let name: String
    let isAllowed: @Sendable (LedgerEntry) async -> Bool
    let now: @Sendable () -> Date
    let makeIdentifier: @Sendable () -> String

    package init(
        entitlements: EntitlementStore, storage: any KeyValueStorage, key: LedgerSealKey?, name: String,
        isAllowed: @escaping @Sendable (LedgerEntry) async -> Bool, now: @escaping @Sendable () -> Date,
        makeIdentifier: @escaping @Sendable () -> String
    ) {
        (self.entitlements, self.storage, self.key, self.name) = (entitlements, storage, key, name)
        (self.isAllowed, self.now, self.makeIdentifier) = (isAllowed, now, makeIdentifier)
    }

    static let keyPrefix = "vitrine."
    /// Name of the counter that marks a ledger that has exchanged sums.
    private static let mark = "exchange-of-sums"
    /// Limits of iCloud's key-value store: number of keys, and total size of all values in bytes.
    private static let (mostKeys, mostBytes) = (1_024, 1_024 * 1_024)

    private var ledger: any Ledger { entitlements.ledger }

    /// Runs one exchange.
    package func run() async throws(ExchangeError) -> ExchangeReport {
        var state = try await ExchangeState.read(from: ledger)
        try await checkState(state)
        try state.bind(to: key, name: name, way: .sums, makeIdentifier)
        if let remover = state.removedBy { throw .removed(by: remover) }
        var report = ExchangeReport()
        let values = try await values()
        try await changeIdentifierIfRepeated(&state, values, &report)
        for (device, summary) in state.applying { try await apply(summary, of: device, &state, &report) }
        for (key, value) in values.sorted(by: { $0.key < $1.key })
        where key != state.device.map({ Self.keyPrefix + $0 }) {
            try await read(value, of: String(key.dropFirst(Self.keyPrefix.count)), &state, &report)
        }
        try await publish(&state, values, &report)
        return report
    }

    /// Returns the stored summaries, without values of the app itself.
    private func values() async throws(ExchangeError) -> [String: Data] {
        try await storage.values().filter { $0.key.hasPrefix(Self.keyPrefix) }
    }

    /// Checks that the state of an earlier exchange is not lost, because sums would then be published twice. A counter
    /// in the ledger marks that a state existed.
    private func checkState(_ state: ExchangeState) async throws(ExchangeError) {
        do throws(LedgerError) {
            if state.summary == nil, try await ledger.highest(Self.mark) != nil {
                throw LedgerError(
                    code: .damaged,
                    reason: "the details of the exchange are lost, and its sums would count twice; use a new storage "
                        + "directory")
            }
        } catch {
            throw ExchangeError(error)
        }
    }

    /// Assigns a new identifier to this device if a copy of its storage directory has published a summary under the
    /// current one.
    private func changeIdentifierIfRepeated(
        _ state: inout ExchangeState, _ values: [String: Data], _ report: inout ExchangeReport
    ) async throws(ExchangeError) {
        guard let device = state.device, let value = values[Self.keyPrefix + device],
            let summary = try? DeviceSummary.read(value, of: device, key: key),
            summary != state.publishedSummary, summary != state.publishingSummary
        else { return }
        // What the copy has published instead shows which facts of this device it has, too, although this device has not
        // published them, or its publication was interrupted: they count with those of the copy.
        var own = state.summary ?? DeviceSummary()
        do throws(LedgerError) {
            own.add(try await ledger.entries(after: own.sequence))
        } catch {
            throw ExchangeError(error)
        }
        let baseline = state.publishingSummary ?? state.publishedSummary
        if let last = own.lastFact(inCommonWith: summary), last > baseline?.history?.last?.sequence ?? 0 {
            state.publishingSummary = try await part(of: own, upTo: last, after: state.publishedSummary)
            state.summary = own
        } else if let publishing = state.publishingSummary {
            if let last = publishing.lastFact(inCommonWith: summary) {
                state.publishingSummary = try await part(of: publishing, upTo: last, after: state.publishedSummary)
            } else if state.publishedSummary != nil, !summary.includes(publishing) {
                state.publishingSummary = nil
            }
        }
        report.add(state.changeIdentifier(makeIdentifier(), after: Self.keyPrefix + device))
    }

    /// Returns a summary without its last facts.
    ///
    /// - Parameters:
    ///   - last: Sequence number of the last remaining fact.
    ///   - published: Summary whose facts remain; `nil` if there is none.
    private func part(
        of summary: DeviceSummary, upTo last: Int64, after published: DeviceSummary?
    ) async throws(ExchangeError) -> DeviceSummary {
        let last = max(last, published?.history?.last?.sequence ?? 0)
        var later = DeviceSummary()
        do throws(LedgerError) {
            later.add(try await ledger.entries(after: last).filter { $0.sequence <= summary.sequence })
        } catch {
            throw ExchangeError(error)
        }
        var part = summary.subtracting(later)
        part.sequence = last
        return part
    }

    // MARK: Reading

    private func read(
        _ value: Data, of device: String, _ state: inout ExchangeState, _ report: inout ExchangeReport
    ) async throws(ExchangeError) {
        guard DocumentName.isIdentifier(device) else { return }
        do throws(DocumentError) {
            guard value.count <= Self.mostBytes else { throw .refused("it is larger than all values may be together") }
            let summary = try DeviceSummary.read(value, of: device, key: key)
            let applying = changes(in: summary, state)
            let latest = now() + DeviceExchange.longestLead
            guard applying.values.allSatisfy({ Date(milliseconds: $0.summary.moment) <= latest }) else {
                throw .incomplete("its facts are dated more than a year after the clock of this device")
            }
            state.applying = applying
        } catch {
            let isFinal = if case .refused = error { true } else { false }
            report.add(
                ExchangeProblem(
                    document: Self.keyPrefix + device, device: device, reason: error.reason, isFinal: isFinal))
            return
        }
        guard !state.applying.isEmpty else { return }
        try await state.store(in: ledger)
        for (device, applying) in state.applying.sorted(by: { $0.key < $1.key }) {
            try await apply(applying, of: device, &state, &report)
        }
    }

    /// Returns the summaries to be recorded after one was read, by device identifier: the summary itself, and those of
    /// earlier identifiers whose sums it tells, each if it differs from the recorded one.
    private func changes(in summary: DeviceSummary, _ state: ExchangeState) -> [String: ExchangeState.Applying] {
        var changes: [String: ExchangeState.Applying] = [:]
        let applied = state.applied[summary.device]
        // The name of a device, and whom it has removed, change without a new entry in its ledger.
        let raised = applied.map { summary.raised(to: DeviceSummary.Former($0)) } ?? summary
        if summary.sequence >= applied?.sequence ?? 0, raised != applied {
            changes[summary.device] = ExchangeState.Applying(summary: raised, isSealed: key != nil)
        }
        for former in summary.former ?? []
        where DocumentName.isIdentifier(former.device) && ![summary.device, state.device].contains(former.device) {
            let applied = state.applied[former.device]
            let raised = (applied ?? DeviceSummary()).raised(to: former)
            guard raised != applied else { continue }
            changes[former.device] = ExchangeState.Applying(summary: raised, isSealed: key != nil, isFormer: true)
        }
        return changes
    }

    /// Records the facts that are new in a summary since the last recorded summary of its device. The state stores the
    /// summary first, so that the same facts are derived again if the process is killed in between.
    private func apply(
        _ applying: ExchangeState.Applying, of device: String, _ state: inout ExchangeState,
        _ report: inout ExchangeReport
    ) async throws(ExchangeError) {
        let summary = applying.summary
        do throws(LedgerError) {
            let all = try await summary.facts(after: state.applied) {
                (purchaseID) throws(LedgerError) in
                try await ledger.entry(of: .credit, key: purchaseID) != nil
            }
            var facts: [ExchangedFact] = []
            let moment = Date(milliseconds: summary.moment)
            for fact in all {
                let entry = LedgerEntry(sequence: summary.sequence, recordedAt: moment, fact: fact, device: device)
                if !applying.isSealed, await !isAllowed(entry) {
                    report.add(
                        ExchangeProblem(
                            document: Self.keyPrefix + device, device: device,
                            reason: "the \(fact.kind.rawValue) is not sealed with the customer's key", isFinal: true))
                } else {
                    let date = summary.moment(of: fact) ?? summary.moment
                    facts.append(ExchangedFact(fact: fact, moment: Date(milliseconds: date), device: device))
                }
            }
            let merge = try await entitlements.merge(facts, adjusting: [], overdrafts: nil, at: now())
            for (index, problem) in merge.problems.sorted(by: { $0.key < $1.key }) {
                report.add(
                    ExchangeProblem(
                        document: Self.keyPrefix + device, device: device,
                        reason: "the \(facts[index].fact.kind.rawValue) is not recorded as the device has it: "
                            + problem.reason, isFinal: true))
            }
            report.add(merge)
        } catch {
            throw ExchangeError(error)
        }
        state.applied[device] = summary
        state.applying[device] = nil
        if applying.isFormer != true {
            state.recordDevice(
                name: summary.name, moment: summary.moment, of: device, hasLeft: summary.hasLeft,
                removed: summary.removed, isSealed: applying.isSealed)
        }
        try await state.store(in: ledger)
    }

    // MARK: Publishing

    private func publish(
        _ state: inout ExchangeState, _ values: [String: Data], _ report: inout ExchangeReport, hasLeft: Bool = false
    ) async throws(ExchangeError) {
        guard let device = state.device else { return }
        var summary = state.summary ?? DeviceSummary()
        do throws(LedgerError) {
            if try await ledger.checkWritable() > summary.sequence {
                summary.add(try await ledger.entries(after: summary.sequence))
            }
        } catch {
            throw ExchangeError(error)
        }
        (summary.device, summary.name, summary.removed) = (device, name, state.removing)
        (summary.hasLeft, summary.former) = (hasLeft, state.formerSums)
        state.summary = summary
        let name = Self.keyPrefix + device
        var published = state.publishedSummary
        // The facts of other devices do not change the sums of this device.
        published?.sequence = summary.sequence
        published?.moment = summary.moment
        guard published != summary || values[name] == nil else { return try await state.store(in: ledger) }
        let data: Data
        do {
            data = try summary.data(sealedWith: key)
        } catch {
            throw ExchangeError(code: .storage, reason: "the summary cannot be written as JSON: \(error)")
        }
        let others = values.filter { $0.key != name }
        let size = others.reduce(data.count + name.utf8.count) { $0 + $1.value.count + $1.key.utf8.count }
        guard size <= Self.mostBytes, others.count < Self.mostKeys else {
            report.add(
                ExchangeProblem(
                    document: name, device: device,
                    reason: "the key-value store has no room for it: \(size) bytes of at most \(Self.mostBytes) in "
                        + "\(others.count + 1) keys of at most \(Self.mostKeys)", isFinal: false))
            return try await state.store(in: ledger)
        }
        report.sent = max(0, summary.changes(since: state.publishedSummary ?? DeviceSummary()))
        state.publishingSummary = summary
        try await state.store(in: ledger)
        if state.publishedSummary == nil {
            do throws(LedgerError) {
                _ = try await ledger.advance(Self.mark, to: 1)
            } catch {
                throw ExchangeError(error)
            }
        }
        try await storage.store(data, for: name)
        (state.publishedSummary, state.publishingSummary) = (summary, nil)
        try await state.store(in: ledger)
    }

    /// Publishes that the customer has signed out on this device, and discards the device's identifier.
    package func leave() async throws(ExchangeError) {
        try await ExchangeState.read(from: ledger).checkJoined()
        var report = try await run()
        var state = try await ExchangeState.read(from: ledger)
        try await publish(&state, try await values(), &report, hasLeft: true)
        guard state.publishedSummary?.hasLeft == true else {
            throw ExchangeError(
                code: .transport, reason: "the key-value store has no room, so that the customer has not left")
        }
        state.giveUpIdentifier()
        try await state.store(in: ledger)
    }
}

extension DeviceSummary {
    /// Returns the date at which the device has recorded a grant or lock, in milliseconds since 1970; `nil` for other
    /// facts.
    fileprivate func moment(of fact: Fact) -> Int64? {
        (grants + locks).first { $0.kind == fact.kind.rawValue && $0.key == fact.key }?.recordedAt
    }

    /// Returns the number of sums, credits, grants and locks that differ from an earlier summary.
    fileprivate func changes(since earlier: DeviceSummary) -> Int {
        wallets.filter { $0.value != earlier.wallets[$0.key] }.count
            + credits.filter { $0.value != earlier.credits[$0.key] }.count
            + grants.count - earlier.grants.count + locks.count - earlier.locks.count
    }
}
