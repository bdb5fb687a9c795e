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

    /// Bytes that an exchange may still read, readable or not.
    private struct ReadBudget {
        var left = 256 * 1024 * 1024
        var isSpent: Bool { left <= 0 }
    }

    /// Maximum time by which another device's clock may be ahead, in seconds.
    static let longestLead: TimeInterval = 400 * 86_400

    private var ledger: any Ledger { entitlements.ledger }

    /// Exchanges until nothing is left for the next exchange.
    func runToEnd() async throws(ExchangeError) {
        while try await run().isCutShort {}
    }

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
        var budget = ReadBudget()
        await takeNewIdentifierIfRepeated(&state, names, &budget, &report)
        let present = Set(names.map(\.name.text))
        try await publishAgain(&state, except: present)
        try await publish(&state, &report)
        state.refused.formIntersection(present)
        state.unreadable.formIntersection(present)
        let unread = names.filter { !state.read.contains($0.name.digest) && !state.refused.contains($0.name.text) }
        // What could not be read before comes last, so that it keeps nothing else from being read.
        let order = unread.sorted {
            let isLeftBad = state.unreadable.contains($0.name.text)
            guard isLeftBad == state.unreadable.contains($1.name.text) else { return !isLeftBad }
            return ($0.name.first, $0.text) < ($1.name.first, $1.text)
        }
        try await read(order, &state, &budget, &report)
        if state != before { try await state.store(in: ledger) }
        return report
    }

    // MARK: Publishing

    /// Finds out whether a document was stored before an earlier exchange was interrupted.
    private func finishPublishing(_ state: inout ExchangeState, _ names: [String]) {
        guard let publishing = state.publishing else { return }
        if names.contains(publishing.name) {
            state.published = publishing.last
            state.documents.append(publishing)
        }
        state.publishing = nil
    }

    /// Takes a new identifier if a document with the seal of the customer has the identifier of this device and is not
    /// from it: a copy of the storage directory, such as a backup that was restored on another device, has exchanged too.
    private func takeNewIdentifierIfRepeated(
        _ state: inout ExchangeState, _ names: [(name: DocumentName, text: String)], _ budget: inout ReadBudget,
        _ report: inout ExchangeReport
    ) async {
        for (name, text) in names
        where name.device == state.device && !state.read.contains(name.digest) && !state.refused.contains(name.text) {
            // What cannot be read is reported when all documents are.
            guard !budget.isSpent, let other = try? await document(name, text, &budget), other.isSealed || key == nil
            else { continue }
            report.add(
                ExchangeProblem(
                    document: text, device: name.device,
                    reason: "a copy of this storage directory has exchanged as the same device; this one goes on as a "
                        + "new device", isFinal: true))
            state.giveUpIdentifier()
            state.devices[name.device, default: ExchangeState.Device()].isRepeated = true
            state.device = makeIdentifier()
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
        state.scanned = max(state.scanned, state.published, entries.last?.sequence ?? 0)
        report.sent = own.count
    }

    /// Returns as many of the first entries as a document has room for.
    private static func firstPart(of entries: ArraySlice<LedgerEntry>) -> ArraySlice<LedgerEntry> {
        var part = entries.prefix(DeviceDocument.mostEntries)
        while part.count > 1 {
            let size = part.reduce(0) { $0 + 1_024 + $1.fact.textSize }
            guard size > DeviceDocument.sizeLimit / 4 else { break }
            part = part.prefix(part.count / 2)
        }
        return part
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
        let (data, published, digest) = try encode(
            DeviceDocument(
                device: device, name: name, first: state.published + 1, last: max(last ?? 0, state.published),
                entries: entries, removed: state.removing, hasLeft: hasLeft, overdrafts: policy))
        state.publishing = published
        state.read.insert(digest)
        try await state.store(in: ledger)
        try await place.store(data, named: published.name)
        state.publishing = nil
        state.published = published.last
        state.documents.append(published)
        state.removing = []
        state.publishedName = hasLeft ? nil : published.deviceName
    }

    /// Publishes documents of this device again that the place has lost, or that a new place lacks.
    private func publishAgain(_ state: inout ExchangeState, except present: Set<String>) async throws(ExchangeError) {
        let lost = state.documents.filter { !present.contains($0.name) }
        guard let first = lost.map(\.first).min() else { return }
        let entries: [LedgerEntry]
        do throws(LedgerError) {
            entries = try await ledger.entries(after: first - 1).filter { $0.device == nil && $0.fact.isExchanged }
        } catch {
            throw ExchangeError(error)
        }
        for document in lost {
            let (data, published, digest) = try encode(
                DeviceDocument(
                    device: document.device, name: document.deviceName, first: document.first, last: document.last,
                    entries: entries.filter { ($0.sequence >= document.first) && $0.sequence <= document.last },
                    removed: document.removed, hasLeft: document.hasLeft, overdrafts: policy))
            state.read.insert(digest)
            state.documents.removeAll { $0 == document }
            state.documents.append(published)
            try await state.store(in: ledger)
            try await place.store(data, named: published.name)
        }
    }

    private func encode(
        _ document: DeviceDocument
    ) throws(ExchangeError) -> (data: Data, published: ExchangeState.Published, digest: String) {
        let data: Data
        do {
            data = try document.data(sealedWith: key)
        } catch {
            throw ExchangeError(code: .storage, reason: "the entries of the ledger cannot be written as JSON: \(error)")
        }
        let name = DocumentName(of: document, data)
        let published = ExchangeState.Published(
            name: name.text, device: document.device, deviceName: document.name, first: document.first,
            last: document.last, removed: document.removed, hasLeft: document.hasLeft)
        return (data, published, name.digest)
    }

    /// Publishes that the customer has signed out on this device, and gives up its identifier.
    func leave() async throws(ExchangeError) {
        guard try await ExchangeState.read(from: ledger).device != nil else {
            throw ExchangeError(code: .invalid, reason: "this device has not exchanged since the customer signed out")
        }
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
        _ names: [(name: DocumentName, text: String)], _ state: inout ExchangeState, _ budget: inout ReadBudget,
        _ report: inout ExchangeReport
    ) async throws(ExchangeError) {
        var documents: [Read] = []
        for (name, text) in names {
            guard !budget.isSpent else {
                // What could not be read before would be no better for being read at once.
                if !state.unreadable.contains(name.text) { report.isCutShort = true }
                report.add(
                    ExchangeProblem(
                        document: text, device: name.device, reason: "it is left for the next exchange", isFinal: false)
                )
                continue
            }
            do throws(DocumentProblem) {
                let (document, isSealed) = try await document(name, text, &budget)
                documents.append(Read(name: name, document: document, isSealed: isSealed))
            } catch {
                note(error, about: name, text, &state, &report)
            }
        }
        guard !documents.isEmpty || !state.unadjusted.isEmpty else { return }
        try await prove(&documents, &report)
        // What is sealed comes first: of what nobody has signed, such as the contents of a bundle, its record counts.
        var (sealed, others) = (documents.filter(\.isSealed), documents.filter { !$0.isSealed })
        try await record(&sealed, adjusting: state.unadjusted, &report)
        if !others.isEmpty { try await record(&others, adjusting: [], &report) }
        state.unadjusted = []
        // Entries of others that follow directly need not be looked through. Between others, this device may have recorded
        // something meanwhile.
        for range in report.recorded where range.lowerBound == state.scanned + 1 { state.scanned = range.upperBound }
        for read in sealed + others { take(read, &state, &report) }
    }

    private func document(
        _ name: DocumentName, _ text: String, _ budget: inout ReadBudget
    ) async throws(DocumentProblem) -> (DeviceDocument, isSealed: Bool) {
        let data: Data?
        do throws(ExchangeError) {
            data = try await place.document(named: text)
        } catch {
            budget.left -= DeviceDocument.sizeLimit
            throw error.code == .tooLarge ? .refused(error.reason) : .incomplete(error.reason)
        }
        guard let data else { throw .incomplete("it is not there any more") }
        budget.left -= data.count + 1
        let (document, isSealed) = try DeviceDocument.read(data, named: name, key: key)
        if let latest = document.entries.map(\.moment).max(), latest > now() + Self.longestLead {
            throw .incomplete("its facts are dated more than a year after the clock of this device")
        }
        return (document, isSealed)
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
            hasLeft: document.hasLeft, removed: document.removed, isSealed: read.isSealed)
        if document.last >= document.first, read.isComplete {
            state.devices[document.device]?.add(document.first...document.last)
        }
        if document.overdrafts != policy, !isOwn {
            report.add(
                ExchangeProblem(
                    document: read.name.text, device: document.device,
                    reason: "for the device, units that were spent apart are \(document.overdrafts.rawValue), and for "
                        + "this one \(policy.rawValue): their balances may differ", isFinal: true))
        }
        if state.removedBy == document.device {
            report.add(
                ExchangeProblem(
                    document: read.name.text, device: document.device,
                    reason: "the device has removed this one, which no longer exchanges", isFinal: true))
        }
        for case .content(let content) in document.entries.map(\.fact)
        where read.isSealed && content.version.utf8.count <= DeviceDocument.longestName {
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
    /// Approximate size of the long texts of the fact in a document, in bytes.
    fileprivate var textSize: Int {
        switch self {
        case .receipt(let receipt): receipt.signedData.utf8.count
        case .grant(let grant):
            grant.token.utf8.count + grant.reason.utf8.count + grant.author.utf8.count
        case .lock(let lock): lock.token.utf8.count + lock.reason.utf8.count + lock.author.utf8.count
        case .deposit(let deposit): deposit.token.utf8.count + deposit.reason.utf8.count
        case .purchase(let purchase):
            purchase.origin.signedData.utf8.count + purchase.contents.reduce(0) { $0 + $1.utf8.count }
        default: key.utf8.count + (origin?.signedData.utf8.count ?? 0)
        }
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
