package import Foundation
package import VitrineAppServerAPI
internal import VitrineFileSystem
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

extension CustomerRecords {
    /// Records signed data of the store that a device has sent: transactions, renewal information and app transactions.
    /// Renewal information is recorded only with the transaction of its subscription's latest period in the same call.
    ///
    /// - Parameter identifier: Identifier to which the store binds the data that it signs for the device; `nil` if the
    ///   device has none. Data that is bound to it proves the store account of the device.
    /// - Returns: One answer for each element.
    /// - Throws: ``CustomerError``: `invalid` for too many elements, `unavailable` if the database cannot be used.
    package func record(
        signed: [String], boundTo identifier: UUID? = nil, from device: EnrolledDevice
    ) async throws(CustomerError) -> [SignedAnswer] {
        guard signed.count <= SignedItems.most else {
            throw CustomerError(code: .invalid, reason: "there are more than \(SignedItems.most) signed data")
        }
        let app = try app(device.app)
        let read = await [SignedItem](signed, app.verifier)
        var renewals: [String: SignedRenewal] = [:]
        for case .renewal(let renewal) in read {
            let key = renewal.payload.originalTransactionID
            if renewal.payload.signedDate > renewals[key]?.payload.signedDate ?? .distantPast {
                renewals[key] = renewal
            }
        }
        var answers: [Int: SignedAnswer] = [:]
        var reported: [ReportedTransaction] = []
        for (index, item) in read.enumerated() {
            switch item {
            case .refused(let answer): answers[index] = answer
            case .transaction(let signed):
                var owner = try await owner(of: signed.payload, sentBy: device, boundTo: identifier)
                if let first = reported.first, first.transaction.owner.id != owner.owner.id {
                    // The owner of this transaction may depend on what is recorded before it.
                    try await record(&reported, app, &answers)
                    owner = try await self.owner(of: signed.payload, sentBy: device, boundTo: identifier)
                }
                let renewal = renewals[signed.payload.originalTransactionID].flatMap { renewal in
                    read.transaction(of: renewal)?.transactionID == signed.payload.transactionID ? renewal : nil
                }
                reported.append(
                    ReportedTransaction(
                        index: index,
                        transaction: OwnedTransaction(signed: signed, renewal: renewal, owner: owner.owner),
                        isOfDevice: owner.isOfDevice))
            case .renewal(let renewal):
                answers[index] =
                    read.transaction(of: renewal) != nil
                    ? SignedAnswer(result: .accepted)
                    : SignedAnswer(
                        result: .undetermined,
                        reason: "the transaction of its subscription is not among the signed data")
            case .appTransaction(let signed):
                try await record(&reported, app, &answers)
                answers[index] = try await record(signed, boundTo: identifier, from: device)
            }
        }
        try await record(&reported, app, &answers)
        return read.indices.compactMap { answers[$0] }
    }

    /// Transaction in a report, with its place in it.
    private struct ReportedTransaction {
        let index: Int
        let transaction: OwnedTransaction
        /// `true` if the owner is the customer of the device that has sent the report.
        let isOfDevice: Bool
    }

    /// Records the transactions of one owner in one change, adds the answers, and empties the list.
    private func record(
        _ reported: inout [ReportedTransaction], _ app: ServedApp, _ answers: inout [Int: SignedAnswer]
    ) async throws(CustomerError) {
        guard let owner = reported.first?.transaction.owner.id else { return }
        let outcomes = try await record(reported.map(\.transaction), of: owner, app: app.name)
        for (reported, outcome) in zip(reported, outcomes) {
            answers[reported.index] = Self.answer(outcome, isOfDevice: reported.isOfDevice)
        }
        reported = []
    }

    /// Records an app transaction, if it belongs to the store account of the device's customer.
    private func record(
        _ signed: SignedAppTransaction, boundTo identifier: UUID?, from device: EnrolledDevice
    ) async throws(CustomerError) -> SignedAnswer {
        if let identifier, signed.payload.isBound(to: identifier), let id = signed.payload.appTransactionID {
            try await add(CustomerIdentity(kind: .appTransaction, value: id), provenBy: device)
        }
        let own = try await resolveMerged(of: device.customer).id
        let identities = try await identities(of: own)
        guard let id = signed.payload.appTransactionID,
            identities.contains(CustomerIdentity(kind: .appTransaction, value: id))
        else {
            return SignedAnswer(
                result: .elsewhere, reason: "this device has not proven that it has this store account")
        }
        let before = try await customer(own, isReloading: false).sequence
        try await record(signed, of: own)
        return SignedAnswer(
            result: try await customer(own, isReloading: false).sequence > before ? .accepted : .known)
    }

    private static func answer(_ recorded: RecordedTransaction, isOfDevice: Bool) -> SignedAnswer {
        switch recorded {
        case .waiting(let reason): SignedAnswer(result: .undetermined, reason: reason)
        case .refused(let reason): SignedAnswer(result: .rejected, reason: reason)
        case .new, .known, .recordedElsewhere:
            isOfDevice && recorded != .recordedElsewhere
                ? SignedAnswer(result: recorded == .new ? .accepted : .known)
                : SignedAnswer(
                    result: .elsewhere,
                    reason: "the transaction belongs to another customer, or to a store account that this device has "
                        + "not proven to have")
        }
    }

    // MARK: Server verification

    /// Verifies a transaction for the `ServerVerifier` of an app.
    package func verify(signedTransaction: String, app name: String) async throws(CustomerError) -> ServerVerdict {
        switch await (try app(name)).verifier.verify(transaction: signedTransaction) {
        case .verified: .verified
        case .rejected(let reasons): .rejected(reasons.joinedReasons)
        case .undetermined(let reason): .undetermined(reason)
        }
    }
}

/// Verdict of a server about signed data.
package enum ServerVerdict: Sendable, Hashable {
    case verified
    case rejected(String)
    case undetermined(String)
}

/// Verification result of signed data from a device.
private enum SignedItem {
    case transaction(SignedTransaction)
    case renewal(SignedRenewal)
    case appTransaction(SignedAppTransaction)
    case refused(SignedAnswer)

    init(_ text: String, _ verifier: SignedDataVerifier) async {
        // Transactions are tried first because they are the most frequent, and each verification checks a signature.
        let transaction = await verifier.verify(transaction: text)
        guard case .rejected(let reasons) = transaction, reasons.contains(where: { $0.code == .payload }) else {
            self = SignedItem(transaction, as: SignedItem.transaction)
            return
        }
        switch await verifier.verify(signedData: text) {
        case .rejected(let reasons): self = .rejected(reasons)
        case .undetermined(let reason): self = .undetermined(reason)
        case .verified(let document):
            switch document.kind {
            case .renewal: self = SignedItem(await verifier.verify(renewal: text), as: SignedItem.renewal)
            case .appTransaction:
                self = SignedItem(await verifier.verify(appTransaction: text), as: SignedItem.appTransaction)
            // The reasons say what the transaction lacks.
            case .transaction: self = .rejected(reasons)
            case .notification, .realtimeRequest, nil:
                self = .refused(
                    SignedAnswer(result: .rejected, reason: "it is neither a transaction nor an app transaction"))
            }
        }
    }

    private init<Value: Sendable>(_ verification: Verification<Value>, as item: (Value) -> SignedItem) {
        switch verification {
        case .verified(let value): self = item(value)
        case .rejected(let reasons): self = .rejected(reasons)
        case .undetermined(let reason): self = .undetermined(reason)
        }
    }

    private static func rejected(_ reasons: [RejectionReason]) -> SignedItem {
        .refused(SignedAnswer(result: .rejected, reason: reasons.joinedReasons))
    }

    private static func undetermined(_ reason: String) -> SignedItem {
        .refused(SignedAnswer(result: .undetermined, reason: reason))
    }
}

extension [SignedItem] {
    /// Verifies signed data of a device, several of them at the same time.
    fileprivate init(_ texts: [String], _ verifier: SignedDataVerifier) async {
        if texts.count == 1 {
            self = [await SignedItem(texts[0], verifier)]
            return
        }
        let items = await withTaskGroup(of: (Int, SignedItem).self) { group in
            for (index, text) in texts.enumerated() { group.addTask { (index, await SignedItem(text, verifier)) } }
            var items: [Int: SignedItem] = [:]
            for await (index, item) in group { items[index] = item }
            return items
        }
        self = texts.indices.compactMap { items[$0] }
    }

    /// Returns the transaction of the period that renewal information belongs to: the latest one of the subscription,
    /// of those that had begun when the information was signed if there are any.
    fileprivate func transaction(of renewal: SignedRenewal) -> TransactionPayload? {
        let transactions = compactMap { item in
            if case .transaction(let signed) = item { signed.payload } else { nil }
        }.filter { $0.originalTransactionID == renewal.payload.originalTransactionID }
        let begun = transactions.filter { $0.purchaseDate <= renewal.payload.signedDate }
        return (begun.isEmpty ? transactions : begun).max { $0.purchaseDate < $1.purchaseDate }
    }
}
