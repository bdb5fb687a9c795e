internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineSupport

// MARK: - Reading

extension DeviceExchange {
    fileprivate struct Read {
        let name: DocumentName
        let document: DeviceDocument
        /// Facts of the document that were verified and can be recorded.
        var facts: [ExchangedFact] = []
        var isComplete = true

        var isReplacing: Bool { !document.replaced.isEmpty }
    }

    /// Reads documents, and records the facts in them that are verified.
    ///
    /// - Returns: All entries of the documents.
    func read(
        _ names: [(name: DocumentName, text: String)], _ state: inout ExchangeState, _ budget: inout ReadBudget,
        _ report: inout ExchangeReport
    ) async throws(ExchangeError) -> [LedgerEntry] {
        var documents: [Read] = []
        for (name, text) in names {
            guard !budget.isSpent else {
                // Documents that were unreadable before do not cause another exchange immediately.
                if !state.unreadable.contains(name.text) { report.isCutShort = true }
                report.add(
                    ExchangeProblem(
                        document: text, device: name.device, reason: "it is left for the next exchange", isFinal: false)
                )
                continue
            }
            do throws(DocumentError) {
                guard let document = try await document(name, text, &budget) else {
                    // Its device has replaced it since the list was made, unless the same happens again.
                    guard !state.unreadable.insert(name.text).inserted else { continue }
                    throw .incomplete("it is listed, and cannot be read")
                }
                // Another copy of this device has stored it since the list was checked for such documents. The next exchange
                // finds it there, and then changes the identifier.
                guard document.device != state.device else { continue }
                documents.append(Read(name: name, document: document))
            } catch {
                note(error, about: name, text, &state, &report)
            }
        }
        guard !documents.isEmpty || !state.unadjusted.isEmpty else { return [] }
        try await prove(&documents, &report)
        try await record(&documents, adjusting: state.unadjusted, &report)
        state.unadjusted = []
        // Recorded entries that directly follow the last scanned entry need not be scanned. Between other entries, this
        // device may have recorded facts in the meantime.
        for range in report.recorded where range.lowerBound == state.scanned + 1 { state.scanned = range.upperBound }
        // Documents that replace others come first, so that those are known as replaced.
        let (replacing, others) = (documents.filter(\.isReplacing), documents.filter { !$0.isReplacing })
        for read in replacing + others { apply(read, &state, &report) }
        return documents.flatMap(\.document.entries)
    }

    /// Reads a document; `nil` if it is not present.
    func document(
        _ name: DocumentName, _ text: String, _ budget: inout ReadBudget
    ) async throws(DocumentError) -> DeviceDocument? {
        let data: Data?
        do throws(ExchangeError) {
            data = try await transport.document(named: text)
        } catch {
            budget.left -= DeviceDocument.sizeLimit
            throw error.code == .tooLarge ? .refused(error.reason) : .incomplete(error.reason)
        }
        guard let data else { return nil }
        budget.left -= data.count + 1
        let document = try DeviceDocument.read(data, named: name, key: key)
        if let latest = document.entries.map(\.moment).max(), latest > now() + Self.longestLead {
            throw .incomplete("its facts are dated more than a year after the clock of this device")
        }
        return document
    }

    private func note(
        _ problem: DocumentError, about name: DocumentName, _ text: String, _ state: inout ExchangeState,
        _ report: inout ExchangeReport
    ) {
        switch problem {
        case .incomplete: state.unreadable.insert(name.text)
        case .refused: state.refused.insert(name.text)
        }
        let isFinal = if case .refused = problem { true } else { false }
        report.add(ExchangeProblem(document: text, device: name.device, reason: problem.reason, isFinal: isFinal))
    }

    /// Verifies the facts of documents by the store's signatures. Without a key, a fact must also be confirmed by the
    /// catalog or allowed by the app.
    private func prove(_ documents: inout [Read], _ report: inout ExchangeReport) async throws(ExchangeError) {
        let entries = documents.flatMap(\.document.entries)
        let verdicts: any ExchangeVerdicts
        do throws(LedgerError) {
            verdicts = try await proof.verdicts(on: entries, areSealed: key != nil)
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
                let verdict = await verdicts.verdict(on: entry)
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

    /// Records the facts of all documents at once.
    private func record(
        _ documents: inout [Read], adjusting own: Set<String>, _ report: inout ExchangeReport
    ) async throws(ExchangeError) {
        let merge: LedgerMerge
        do throws(LedgerError) {
            merge = try await entitlements.merge(
                documents.flatMap(\.facts), adjusting: own, overdrafts: policy, at: now())
        } catch {
            throw ExchangeError(error)
        }
        var first = 0
        for index in documents.indices {
            let count = documents[index].facts.count
            note(merge, from: first, &documents[index], &report)
            first += count
        }
        report.add(merge)
    }

    private func note(_ merge: LedgerMerge, from first: Int, _ read: inout Read, _ report: inout ExchangeReport) {
        guard !merge.problems.isEmpty else { return }
        for (offset, fact) in read.facts.enumerated() {
            guard let problem = merge.problems[first + offset] else { continue }
            let isWaiting = if case .waiting = problem { true } else { false }
            if isWaiting { read.isComplete = false }
            report.add(
                read.problem(
                    "the \(fact.fact.kind.rawValue) \"\(fact.fact.key)\" is not recorded as the device has it: "
                        + problem.reason, isFinal: !isWaiting))
        }
    }

    /// Updates the state of the exchange with a document's information about its device.
    private func apply(_ read: Read, _ state: inout ExchangeState, _ report: inout ExchangeReport) {
        let document = read.document
        let isOwn = state.formerDevices.contains(document.device)
        if read.isComplete {
            state.read.insert(read.name.digest)
            state.unreadable.remove(read.name.text)
        } else {
            state.unreadable.insert(read.name.text)
        }
        guard !state.isReplaced(read.name) else {
            // The later document says the same about the device.
            state.devices[document.device]?.replaced?.formUnion(document.replaced)
            return
        }
        let wasRepeated = state.devices[document.device]?.isRepeated ?? false
        state.recordDevice(
            name: document.name, moment: document.entries.last?.moment.milliseconds ?? 0, of: document.device,
            hasLeft: document.hasLeft, removed: document.removed, isSealed: key != nil)
        // Each new fact of the app's server is published with all its earlier facts. The ranges of its documents
        // therefore overlap.
        if document.last >= document.first, read.isComplete, !read.name.isOfServer {
            state.devices[document.device]?.add(document.first...document.last, replacing: document.replaced)
        }
        if document.overdrafts != policy, !isOwn {
            report.add(
                read.problem(
                    "for the device, units that were spent apart are \(document.overdrafts.rawValue), and for "
                        + "this one \(policy.rawValue): their balances may differ"))
        }
        if state.removedBy == document.device, document.removed.contains(state.device ?? "") {
            report.add(read.problem("the device has removed this one, which no longer exchanges"))
        }
        for case .content(let content) in document.entries.map(\.fact)
        where key != nil && content.version.utf8.count <= DeviceDocument.longestName {
            state.devices[document.device]?.content[content.productIdentifier] = content.version
        }
        if state.devices[document.device]?.isRepeated == true, !wasRepeated, !isOwn {
            report.add(read.problem("the device has used its numbers twice: two copies of it exist"))
        }
    }
}

extension DeviceExchange.Read {
    fileprivate func problem(with entry: LedgerEntry, _ reason: String, isFinal: Bool) -> ExchangeProblem {
        problem("entry \(entry.sequence) cannot be trusted: \(reason)", isFinal: isFinal)
    }

    fileprivate func problem(_ reason: String, isFinal: Bool = true) -> ExchangeProblem {
        ExchangeProblem(document: name.text, device: document.device, reason: reason, isFinal: isFinal)
    }
}
