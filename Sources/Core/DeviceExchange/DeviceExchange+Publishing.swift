internal import Foundation
internal import VitrineEntitlements
internal import VitrineSupport

// MARK: - Publishing

extension DeviceExchange {
    /// Completes a publication that was interrupted: if the shared storage contains its document, the document is
    /// recorded as published.
    func finishPublishing(_ state: inout ExchangeState, _ names: [String]) {
        guard let publishing = state.publishing else { return }
        if names.contains(publishing.name) { state.recordPublished(publishing) }
        state.publishing = nil
    }

    /// Assigns a new identifier to this device if a copy of its storage directory, such as a backup that was restored
    /// on another device, has exchanged under the same identifier. In this case there is an unknown document with the
    /// identifier, sealed with the customer's key.
    func changeIdentifierIfRepeated(
        _ state: inout ExchangeState, _ names: [(name: DocumentName, text: String)], _ budget: inout ReadBudget,
        _ report: inout ExchangeReport
    ) async {
        for (name, text) in names
        where name.device == state.device && !state.read.contains(name.digest) && !state.refused.contains(name.text) {
            // Unreadable documents are reported later, when all documents are read.
            guard !budget.isSpent, (try? await document(name, text, &budget)) != nil else { continue }
            report.add(state.changeIdentifier(makeIdentifier(), after: text))
            return
        }
    }

    /// Publishes the facts that this device has recorded since its last document, and marks their wallets in the state
    /// as not yet adjusted.
    func publish(_ state: inout ExchangeState, _ report: inout ExchangeReport) async throws(ExchangeError) {
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

    /// Returns as many of the first entries as fit in one document.
    private static func firstPart(of entries: ArraySlice<LedgerEntry>) -> ArraySlice<LedgerEntry> {
        var part = entries.prefix(DeviceDocument.mostEntries)
        while part.count > 1 {
            let size = part.reduce(0) { $0 + 1_024 + $1.fact.textSize }
            guard size > DeviceDocument.publishedSize else { break }
            part = part.prefix(part.count / 2)
        }
        return part
    }

    /// Returns the wallets whose balances the entries may change. A revocation that removed no units on this device
    /// names no wallet, but may remove units together with facts of other devices.
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

    /// Publishes a document of this device.
    ///
    /// - Parameter last: Last sequence number that the document covers; `nil` for a document without entries.
    private func publish(
        _ entries: [LedgerEntry], through last: Int64?, _ state: inout ExchangeState, hasLeft: Bool = false
    ) async throws(ExchangeError) {
        guard let device = state.device else { return }
        let earlier = try await replaceable(by: entries, of: device, state)
        let (data, published, digest) = try encode(
            DeviceDocument(
                device: device, name: name, first: earlier.first ?? state.published + 1,
                last: max(last ?? 0, state.published), entries: earlier.entries + entries,
                removed: earlier.documents.flatMap(\.removed) + state.removing, hasLeft: hasLeft, overdrafts: policy,
                replaced: earlier.digests))
        state.publishing = published
        state.read.insert(digest)
        try await state.store(in: ledger)
        try await transport.store(data, named: published.name)
        state.publishing = nil
        state.recordPublished(published)
        state.removing = []
        state.publishedName = hasLeft ? nil : published.deviceName
    }

    /// Documents that the next document of this device replaces.
    private struct Replaceable {
        var documents: [ExchangeState.Published] = []
        /// Entries of the documents.
        var entries: [LedgerEntry] = []
        /// First sequence number that the documents cover; `nil` if there are none.
        var first: Int64? { documents.map(\.first).min() }
        /// Digests of the documents, and of as many as possible of those that they have replaced: other devices may find
        /// these without the documents that have replaced them.
        var digests: [String] {
            let all = documents.compactMap(\.digest) + documents.flatMap { $0.replaced ?? [] }
            return Array(all.prefix(DeviceDocument.mostReplaced))
        }
    }

    /// Returns the latest documents of this device that fit in one document together with further entries. There are none
    /// until the device has ``mostDocuments``, so that each entry is seldom published again.
    private func replaceable(
        by new: [LedgerEntry], of device: String, _ state: ExchangeState
    ) async throws(ExchangeError) -> Replaceable {
        let documents = state.documents.filter { $0.device == device }.sorted { $0.first > $1.first }
        guard documents.count >= mostDocuments, let first = documents.last?.first else { return Replaceable() }
        let entries = try await ownEntries(after: first - 1).filter { $0.sequence <= state.published }
        var replaceable = Replaceable()
        for document in documents.prefix(DeviceDocument.mostReplaced) {
            let covered = Array(entries.drop { $0.sequence < document.first })
            guard Self.firstPart(of: (covered + new)[...]).count == covered.count + new.count else { break }
            replaceable.documents.append(document)
            replaceable.entries = covered
        }
        return replaceable.documents.count > 1 ? replaceable : Replaceable()
    }

    /// Returns the entries of this device's own facts that other devices receive.
    private func ownEntries(after sequence: Int64) async throws(ExchangeError) -> [LedgerEntry] {
        do throws(LedgerError) {
            return try await ledger.entries(after: sequence).filter { $0.device == nil && $0.fact.isExchanged }
        } catch {
            throw ExchangeError(error)
        }
    }

    /// Publishes again those documents of this device that are missing in the shared storage, because the storage has
    /// lost them or is new.
    func publishAgain(_ state: inout ExchangeState, except present: [DocumentName]) async throws(ExchangeError) {
        let names = Set(present.map(\.text))
        let lost = state.documents.filter { document in
            !names.contains(document.name) && !state.hasReplacement(of: document, among: present)
        }
        guard let first = lost.map(\.first).min() else { return }
        let entries = try await ownEntries(after: first - 1)
        for document in lost {
            let (data, published, digest) = try encode(
                DeviceDocument(
                    device: document.device, name: document.deviceName, first: document.first, last: document.last,
                    entries: entries.filter { ($0.sequence >= document.first) && $0.sequence <= document.last },
                    removed: document.removed, hasLeft: document.hasLeft, overdrafts: policy,
                    replaced: document.replaced ?? []))
            state.read.insert(digest)
            state.documents.removeAll { $0 == document }
            state.documents.append(published)
            try await state.store(in: ledger)
            try await transport.store(data, named: published.name)
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
            last: document.last, removed: document.removed, hasLeft: document.hasLeft,
            replaced: document.replaced.isEmpty ? nil : document.replaced)
        return (data, published, name.digest)
    }

    /// Publishes that the customer has signed out on this device, and discards the device's identifier.
    ///
    /// - Parameter joining: `true` for a device that may not have exchanged yet, and publishes its facts first.
    package func leave(joining: Bool) async throws(ExchangeError) {
        if !joining { try await ExchangeState.read(from: ledger).checkJoined() }
        _ = try await run()
        var state = try await ExchangeState.read(from: ledger)
        try await publish([], through: nil, &state, hasLeft: true)
        state.giveUpIdentifier()
        try await state.store(in: ledger)
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
}
