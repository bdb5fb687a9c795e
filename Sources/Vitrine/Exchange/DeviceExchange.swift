internal import Entitlements
internal import Foundation

/// Exchange of a ledger with the other devices of the customer: publishes what this device has recorded, and records
/// what others have published.
struct DeviceExchange: Sendable {
    let entitlements: EntitlementStore
    let place: any ExchangePlace
    let key: LedgerSealKey?
    /// Name of this device, for people.
    let name: String
    let policy: OverdraftPolicy
    let proof: any ExchangeProof
    let now: @Sendable () -> Date
    let makeIdentifier: @Sendable () -> String

    /// Maximum number of bytes that one exchange reads.
    private static let readLimit = 256 * 1024 * 1024
    /// Maximum time by which another device's clock may be ahead, in seconds.
    static let longestLead: TimeInterval = 400 * 86_400

    private var ledger: any Ledger { entitlements.ledger }

    /// Exchanges once.
    ///
    /// The order of the steps makes each of them repeatable: a document is named in the state before it is stored, facts
    /// are recorded before the state says that their documents are read, and both change nothing if they happen twice.
    func run() async throws(ExchangeError) -> ExchangeReport {
        var state = try await ExchangeState.read(from: ledger)
        if let remover = state.removedBy { throw .removed(by: remover) }
        let before = state
        var report = ExchangeReport()
        let names = try await place.names().compactMap { text in DocumentName(text).map { (name: $0, text: text) } }
        try state.bind(to: key, name: name, way: .documents, makeIdentifier)
        finishPublishing(&state, names.map(\.text))
        await takeNewIdentifierIfRepeated(&state, names, &report)
        try await publish(&state, &report)
        let present = Set(names.map(\.name.text))
        state.refused.formIntersection(present)
        state.unreadable.formIntersection(present)
        let unread = names.filter { !state.read.contains($0.name.digest) && !state.refused.contains($0.name.text) }
        // What could not be read before comes last, so that it keeps nothing else from being read.
        let order = unread.sorted {
            let isLeftBad = state.unreadable.contains($0.name.text)
            guard isLeftBad == state.unreadable.contains($1.name.text) else { return !isLeftBad }
            return ($0.name.first, $0.text) < ($1.name.first, $1.text)
        }
        try await read(order, &state, &report)
        if state != before { try await state.store(in: ledger) }
        return report
    }

    // MARK: Publishing

    /// Finds out whether a document was stored before an earlier exchange was interrupted.
    private func finishPublishing(_ state: inout ExchangeState, _ names: [String]) {
        guard let publishing = state.publishing else { return }
        if names.contains(publishing.name) { state.published = publishing.last }
        state.publishing = nil
    }

    /// Takes a new identifier if a document with the seal of the customer has the identifier of this device and is not
    /// from it: a copy of the storage directory, such as a backup that was restored on another device, has exchanged too.
    private func takeNewIdentifierIfRepeated(
        _ state: inout ExchangeState, _ names: [(name: DocumentName, text: String)], _ report: inout ExchangeReport
    ) async {
        for (name, text) in names
        where name.device == state.device && !state.read.contains(name.digest) && !state.refused.contains(name.text) {
            // What cannot be read is reported when all documents are.
            guard let other = try? await document(name, text), other.isSealed || key == nil else { continue }
            report.add(
                ExchangeProblem(
                    document: text, device: name.device,
                    reason: "a copy of this storage directory exchanges as the same device, which goes on as a new one",
                    isFinal: true))
            state.formerDevices.append(name.device)
            (state.device, state.publishedName) = (makeIdentifier(), nil)
            return
        }
    }

    /// Publishes the facts that this device has recorded since its last document, and notes the wallets that they are
    /// about.
    private func publish(_ state: inout ExchangeState, _ report: inout ExchangeReport) async throws(ExchangeError) {
        let entries: [LedgerEntry]
        do throws(LedgerError) {
            let isNew = try await ledger.checkWritable() > max(state.scanned, state.published)
            entries = isNew ? try await ledger.entries(after: max(state.scanned, state.published)) : []
        } catch {
            throw ExchangeError(error)
        }
        let own = entries.filter { $0.device == nil && $0.fact.isExchanged }
        state.unadjusted.formUnion(try await wallets(of: own))
        var rest = own[...]
        while !rest.isEmpty || !state.removing.isEmpty || state.publishedName != name {
            let part = Self.firstPart(of: rest)
            rest = rest.dropFirst(part.count)
            try await publish(
                Array(part), through: rest.isEmpty ? entries.last?.sequence : part.last?.sequence, &state)
        }
        // What others have recorded since is looked through next time: this device may have recorded something before.
        state.scanned = max(state.scanned, entries.last?.sequence ?? 0)
        report.sent = own.count
    }

    /// Returns as many of the first entries as a document has room for.
    private static func firstPart(of entries: ArraySlice<LedgerEntry>) -> ArraySlice<LedgerEntry> {
        var size = 0
        let end = entries.prefix(DeviceDocument.mostEntries).firstIndex { entry in
            let isFull = size > DeviceDocument.sizeLimit / 4
            size += entry.fact.signedSize
            return isFull
        }
        return end.map { entries[..<$0] } ?? entries.prefix(DeviceDocument.mostEntries)
    }

    /// Returns the wallets that entries are about. A revocation that has taken nothing here names none, but may take
    /// units where another device's facts are counted too.
    private func wallets(of entries: [LedgerEntry]) async throws(ExchangeError) -> Set<String> {
        var wallets = Set(entries.compactMap(\.fact.wallet))
        for entry in entries where [.revocation, .reinstatement].contains(entry.fact.kind) && entry.fact.wallet == nil {
            guard let purchaseID = entry.fact.origin?.purchaseID else { continue }
            do throws(LedgerError) {
                if let wallet = try await ledger.entry(of: .credit, key: purchaseID)?.fact.walletChange?.wallet {
                    wallets.insert(wallet)
                }
            } catch {
                throw ExchangeError(error)
            }
        }
        return wallets
    }

    /// Stores a document of this device.
    ///
    /// - Parameter last: Last sequence number that the document covers; `nil` for a document without entries.
    private func publish(
        _ entries: [LedgerEntry], through last: Int64?, _ state: inout ExchangeState, hasLeft: Bool = false
    ) async throws(ExchangeError) {
        guard let device = state.device else { return }
        let document = DeviceDocument(
            device: device, name: name, first: state.published + 1, last: max(last ?? 0, state.published),
            entries: entries, removed: state.removing, hasLeft: hasLeft)
        let data: Data
        do {
            data = try document.data(sealedWith: key)
        } catch {
            throw ExchangeError(code: .storage, reason: "the entries of the ledger cannot be written as JSON: \(error)")
        }
        let name = DocumentName(of: document, data)
        state.publishing = ExchangeState.Publishing(name: name.text, last: document.last)
        state.read.insert(name.digest)
        try await state.store(in: ledger)
        try await place.store(data, named: name.text)
        state.publishing = nil
        state.published = document.last
        state.removing = []
        state.publishedName = hasLeft ? nil : document.name
    }

    /// Publishes that the customer has signed out on this device, and gives up its identifier.
    func leave() async throws(ExchangeError) {
        _ = try await run()
        var state = try await ExchangeState.read(from: ledger)
        try await publish([], through: nil, &state, hasLeft: true)
        state.giveUpIdentifier()
        try await state.store(in: ledger)
    }

    // MARK: Reading

    fileprivate struct Read {
        let name: DocumentName
        let document: DeviceDocument
        var isSealed: Bool
        /// Facts of the document that can be recorded, and why others cannot be now.
        var facts: [ExchangedFact] = []
        var isComplete = true
    }

    private func read(
        _ names: [(name: DocumentName, text: String)], _ state: inout ExchangeState, _ report: inout ExchangeReport
    ) async throws(ExchangeError) {
        var size = 0
        var documents: [Read] = []
        for (name, text) in names {
            guard size < Self.readLimit else {
                report.add(
                    ExchangeProblem(
                        document: text, device: name.device, reason: "it is left for the next exchange", isFinal: false)
                )
                continue
            }
            do throws(DocumentProblem) {
                let (document, isSealed, bytes) = try await document(name, text)
                size += bytes
                documents.append(Read(name: name, document: document, isSealed: isSealed))
            } catch {
                size += 1
                note(error, about: name, text, &state, &report)
            }
        }
        guard !documents.isEmpty || !state.unadjusted.isEmpty else { return }
        try await prove(&documents, &report)
        try await record(&documents, adjusting: state.unadjusted, &report)
        state.unadjusted = []
        for read in documents { take(read, &state, &report) }
    }

    private func document(
        _ name: DocumentName, _ text: String
    ) async throws(DocumentProblem) -> (DeviceDocument, isSealed: Bool, bytes: Int) {
        let data: Data?
        do throws(ExchangeError) {
            data = try await place.document(named: text)
        } catch {
            throw error.code == .tooLarge ? .refused(error.reason) : .incomplete(error.reason)
        }
        guard let data else { throw .incomplete("it is not there any more") }
        let (document, isSealed) = try DeviceDocument.read(data, named: name, key: key)
        if let latest = document.entries.map(\.moment).max(), latest > now() + Self.longestLead {
            throw .incomplete("its facts are dated more than a year after the clock of this device")
        }
        return (document, isSealed, data.count)
    }

    private func note(
        _ problem: DocumentProblem, about name: DocumentName, _ text: String, _ state: inout ExchangeState,
        _ report: inout ExchangeReport
    ) {
        switch problem {
        case .incomplete: state.unreadable.insert(name.text)
        case .refused: state.refused.insert(name.text)
        }
        let isFinal = if case .refused = problem { true } else { false }
        report.add(ExchangeProblem(document: text, device: name.device, reason: problem.reason, isFinal: isFinal))
    }

    /// Checks the facts of documents against their signatures and, in documents without a seal, against the catalog and
    /// the app's decision.
    private func prove(_ documents: inout [Read], _ report: inout ExchangeReport) async throws(ExchangeError) {
        let entries = documents.flatMap(\.document.entries)
        let verdicts: any ExchangeVerdicts
        do throws(LedgerError) {
            verdicts = try await proof.verdicts(on: entries, areAllSealed: documents.allSatisfy(\.isSealed))
        } catch {
            throw ExchangeError(error)
        }
        for index in documents.indices {
            for entry in documents[index].document.entries where entry.fact.kind != .content {
                guard entry.fact.isExchanged else {
                    report.add(
                        documents[index].problem(
                            with: entry, "a \(entry.fact.kind.rawValue) is about the device that records it",
                            isFinal: true))
                    continue
                }
                let verdict = await verdicts.verdict(on: entry, isSealed: documents[index].isSealed)
                switch verdict {
                case .proved:
                    documents[index].facts.append(
                        ExchangedFact(
                            fact: entry.fact, moment: entry.moment, device: documents[index].document.device))
                case .refused(let reason):
                    report.add(documents[index].problem(with: entry, reason, isFinal: true))
                case .undetermined(let reason):
                    documents[index].isComplete = false
                    report.add(documents[index].problem(with: entry, reason, isFinal: false))
                }
            }
        }
    }

    /// Records the facts of all documents at once or, if one of them would make a balance impossible, of one document
    /// after the other.
    private func record(
        _ documents: inout [Read], adjusting own: Set<String>, _ report: inout ExchangeReport
    ) async throws(ExchangeError) {
        let facts = documents.flatMap(\.facts)
        do throws(LedgerError) {
            let merge = try await merge(facts, adjusting: own)
            var first = 0
            for index in documents.indices {
                let count = documents[index].facts.count
                note(merge, from: first, &documents[index], &report)
                first += count
            }
            report.take(merge)
        } catch {
            guard error.code == .invalidFact, !documents.isEmpty else { throw ExchangeError(error) }
            guard documents.count > 1 else {
                return report.add(
                    ExchangeProblem(
                        document: documents[0].name.text, device: documents[0].document.device, reason: error.reason,
                        isFinal: true))
            }
            for index in documents.indices {
                var single = [documents[index]]
                try await record(&single, adjusting: own, &report)
                documents[index] = single[0]
            }
        }
    }

    private func merge(
        _ facts: [ExchangedFact], adjusting wallets: Set<String>
    ) async throws(LedgerError) -> LedgerMerge {
        try await entitlements.merge(facts, adjusting: wallets, overdrafts: policy, at: now())
    }

    private func note(_ merge: LedgerMerge, from first: Int, _ read: inout Read, _ report: inout ExchangeReport) {
        guard !merge.problems.isEmpty else { return }
        for (offset, fact) in read.facts.enumerated() {
            guard let problem = merge.problems[first + offset] else { continue }
            if case .waiting = problem { read.isComplete = false }
            report.add(
                ExchangeProblem(
                    document: read.name.text, device: read.document.device,
                    reason: "the \(fact.fact.kind.rawValue) \"\(fact.fact.key)\" is not recorded as the device has it: "
                        + problem.reason,
                    isFinal: read.isComplete))
        }
    }

    /// Notes what a document says about its device.
    private func take(_ read: Read, _ state: inout ExchangeState, _ report: inout ExchangeReport) {
        let document = read.document
        let isOwn = state.formerDevices.contains(document.device) || document.device == state.device
        if read.isComplete {
            state.read.insert(read.name.digest)
            state.unreadable.remove(read.name.text)
        } else {
            state.unreadable.insert(read.name.text)
        }
        let wasRepeated = state.devices[document.device]?.isRepeated ?? false
        state.take(
            name: document.name, moment: document.entries.last?.moment.milliseconds ?? 0, of: document.device,
            hasLeft: document.hasLeft, removed: document.removed, isTrusted: read.isSealed || key == nil)
        if document.last >= document.first, read.isComplete {
            state.devices[document.device]?.add(document.first...document.last)
        }
        for case .content(let content) in document.entries.map(\.fact) {
            state.devices[document.device]?.content[content.productIdentifier] = content.version
        }
        if state.devices[document.device]?.isRepeated == true, !wasRepeated, !isOwn {
            report.add(
                ExchangeProblem(
                    document: read.name.text, device: document.device,
                    reason: "the device has used its numbers twice: two copies of it exist", isFinal: true))
        }
    }
}

extension DeviceExchange.Read {
    fileprivate func problem(with entry: LedgerEntry, _ reason: String, isFinal: Bool) -> ExchangeProblem {
        ExchangeProblem(
            document: name.text, device: document.device,
            reason: "entry \(entry.sequence) cannot be trusted: \(reason)", isFinal: isFinal)
    }
}

extension Fact {
    /// Approximate size of the fact in a document, in bytes.
    fileprivate var signedSize: Int {
        let signed = if case .receipt(let receipt) = self { receipt.signedData } else { origin?.signedData ?? "" }
        return 1_024 + signed.utf8.count
    }

    /// `true` for a fact about the customer, or about content that another device may offer; `false` for one about the
    /// ledger or the device.
    var isExchanged: Bool {
        switch self {
        case .appPurchase, .loss, .settlement, .note, .counterpart, .adjustment: false
        default: true
        }
    }
}

extension ExchangeError {
    static func removed(by device: String) -> ExchangeError {
        ExchangeError(
            code: .removed, reason: "the device \(device) has removed this device from the customer's devices")
    }

    init(_ error: LedgerError) { self.init(code: .storage, reason: error.reason) }
}
