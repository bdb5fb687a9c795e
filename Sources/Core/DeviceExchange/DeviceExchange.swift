package import Foundation
package import VitrineEntitlements
internal import VitrineSupport

/// Exchange of a ledger with the other devices of the customer: publishes the facts of this device, and records the
/// facts that other devices have published.
package struct DeviceExchange: Sendable {
    let entitlements: EntitlementStore
    let transport: any ExchangeTransport
    let key: LedgerSealKey?
    /// Name of this device, for display.
    let name: String
    let policy: OverdraftPolicy
    let proof: any ExchangeProof
    let now: @Sendable () -> Date
    let makeIdentifier: @Sendable () -> String
    /// Number of documents from which the next document of this device replaces the latest ones.
    let mostDocuments: Int

    package init(
        entitlements: EntitlementStore, transport: any ExchangeTransport, key: LedgerSealKey?, name: String,
        policy: OverdraftPolicy, proof: any ExchangeProof, now: @escaping @Sendable () -> Date,
        makeIdentifier: @escaping @Sendable () -> String, mostDocuments: Int = 64
    ) {
        (self.entitlements, self.transport, self.key, self.name) = (entitlements, transport, key, name)
        (self.policy, self.proof, self.now, self.makeIdentifier) = (policy, proof, now, makeIdentifier)
        self.mostDocuments = mostDocuments
    }

    /// Number of bytes that an exchange may still read, including unreadable documents.
    struct ReadBudget {
        var left = 256 * 1024 * 1024
        var isSpent: Bool { left <= 0 }
    }

    /// Maximum time in seconds that the clock of another device may be ahead of this device's clock.
    package static let longestLead: TimeInterval = 400 * 86_400

    var ledger: any Ledger { entitlements.ledger }

    /// Runs exchanges until all documents of other devices are read.
    package func runToEnd() async throws(ExchangeError) {
        while try await run().isCutShort {}
    }

    /// Runs one exchange.
    ///
    /// Each step can be repeated after an interruption: the state contains the name of a document before the document
    /// is stored, facts are recorded before the state lists their documents as read, and storing or recording twice has
    /// no effect.
    package func run() async throws(ExchangeError) -> ExchangeReport {
        var state = try await ExchangeState.read(from: ledger)
        if let remover = state.removedBy { throw .removed(by: remover) }
        let before = state
        var report = ExchangeReport()
        var names = try await listed()
        try state.bind(to: key, name: name, way: .documents, makeIdentifier)
        if before.read.isEmpty { state.giftsElsewhere = try await serverGifts() }
        finishPublishing(&state, names.map(\.text))
        var budget = ReadBudget()
        await changeIdentifierIfRepeated(&state, names, &budget, &report)
        // A device whose facts the shared place does not take any more still reads those of the others, such as refunds.
        let refusal = try await publishAll(except: names.map(\.name), &state, &report)
        // The app's server replaces documents of its own by others that contain what was published. A document of this
        // identifier that is only in the new list is left to the next exchange.
        if report.sent > 0 { names = try await listed() }
        let present = Set(names.map(\.name.text))
        state.refused.formIntersection(present)
        state.unreadable.formIntersection(present)
        let unread = names.filter { name, _ in
            !state.read.contains(name.digest) && !state.refused.contains(name.text) && !state.isReplaced(name)
        }
        // Documents that were unreadable before come last, so that they do not delay the others.
        let order = unread.sorted {
            let isLeftBad = state.unreadable.contains($0.name.text)
            guard isLeftBad == state.unreadable.contains($1.name.text) else { return !isLeftBad }
            return ($0.name.first, $0.text) < ($1.name.first, $1.text)
        }
        let entries = try await read(order, &state, &budget, &report)
        let known = Set(entries.compactMap { ServerGift.name(of: $0.fact) })
        state.giftsElsewhere?.removeAll { known.contains($0.name) }
        // The exchanges that have read everything at this place, from the first one on, have found what is known here.
        if let gifts = state.giftsElsewhere, !report.isCutShort, state.unreadable.isEmpty {
            report.note(gifts)
            state.giftsElsewhere = nil
        }
        if state != before { try await state.store(in: ledger) }
        if let refusal { throw refusal }
        return report
    }

    /// Publishes the facts of this device.
    ///
    /// - Returns: The error of a document that is too large for the shared place; `nil` if there is none.
    private func publishAll(
        except present: [DocumentName], _ state: inout ExchangeState, _ report: inout ExchangeReport
    ) async throws(ExchangeError) -> ExchangeError? {
        do throws(ExchangeError) {
            try await publishAgain(&state, except: present)
            try await publish(&state, &report)
            return nil
        } catch {
            guard error.code == .tooLarge else { throw error }
            return error
        }
    }

    /// Returns the names of the documents at the shared place.
    private func listed() async throws(ExchangeError) -> [(name: DocumentName, text: String)] {
        try await transport.names().compactMap { text in DocumentName(text).map { (name: $0, text: text) } }
    }
}

extension Fact {
    /// `true` for a fact about the customer, or about content that another device may offer; `false` for a fact about
    /// the ledger or the device.
    package var isExchanged: Bool {
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

    package init(_ error: LedgerError) { self.init(code: .storage, reason: error.reason) }
}
