internal import Foundation
package import VitrineAppServerAPI
internal import VitrineFileSystem
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

extension CustomerRecords {
    /// Records signed data of the store that a device has sent: transactions, renewal information and app transactions.
    /// Renewal information is recorded only with the transaction of its subscription's latest period in the same call.
    ///
    /// - Returns: One answer for each element.
    /// - Throws: ``CustomerError``: `invalid` for too many elements, `unavailable` if the database cannot be used.
    package func record(
        signed: [String], from device: EnrolledDevice
    ) async throws(CustomerError) -> [SignedAnswer] {
        guard signed.count <= SignedItems.most else {
            throw CustomerError(code: .invalid, reason: "there are more than \(SignedItems.most) signed data")
        }
        let app = try app(device.app)
        var read: [SignedItem] = []
        for text in signed { read.append(await SignedItem(text, app.verifier)) }
        var renewals: [String: SignedRenewal] = [:]
        for case .renewal(let renewal) in read {
            let key = renewal.payload.originalTransactionID
            if renewal.payload.signedDate > renewals[key]?.payload.signedDate ?? .distantPast {
                renewals[key] = renewal
            }
        }
        var answers: [SignedAnswer] = []
        for item in read {
            switch item {
            case .refused(let answer): answers.append(answer)
            case .transaction(let signed):
                let owner = try await owner(of: signed.payload, sentBy: device)
                let renewal = renewals[signed.payload.originalTransactionID].flatMap { renewal in
                    read.transaction(of: renewal)?.transactionID == signed.payload.transactionID ? renewal : nil
                }
                let recorded = try await record(signed, renewal, of: owner.owner, app: app.name)
                answers.append(Self.answer(recorded, isOfDevice: owner.isOfDevice))
            case .renewal(let renewal):
                answers.append(
                    read.transaction(of: renewal) != nil
                        ? SignedAnswer(result: .accepted)
                        : SignedAnswer(
                            result: .undetermined,
                            reason: "the transaction of its subscription is not among the signed data"))
            case .appTransaction(let signed): answers.append(try await record(signed, from: device))
            }
        }
        return answers
    }

    /// Records an app transaction, if it belongs to the store account of the device's customer.
    private func record(
        _ signed: SignedAppTransaction, from device: EnrolledDevice
    ) async throws(CustomerError) -> SignedAnswer {
        let own = try await resolveMerged(of: device.customer).id
        let identities = try await identities(of: own)
        guard let id = signed.payload.appTransactionID,
            identities.contains(CustomerIdentity(kind: .appTransaction, value: id))
        else {
            return SignedAnswer(
                result: .elsewhere, reason: "a device shows the app transaction of its store account when it enrolls")
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
        case .new, .known:
            isOfDevice
                ? SignedAnswer(result: recorded == .new ? .accepted : .known)
                : SignedAnswer(result: .elsewhere, reason: "the transaction belongs to another customer")
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
        if TransactionPayload(unverified: text) != nil {
            self = SignedItem(await verifier.verify(transaction: text), as: SignedItem.transaction)
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
            case .transaction, .notification, .realtimeRequest, nil:
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
