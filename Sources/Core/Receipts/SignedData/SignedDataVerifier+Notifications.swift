internal import VitrineSupport

extension SignedDataVerifier {
    /// Verifies a version 2 notification in compact JWS form, and the transaction, renewal information and app
    /// transaction in it, all by the same rules. The notification is accepted only if all of them are for this app and
    /// from this environment.
    public func verify(notification signedData: String) async -> Verification<SignedNotification> {
        let payload: NotificationPayload
        switch await verify(signedData, as: { (payload: NotificationPayload) in payload }) {
        case .verified(let value): payload = value
        case .rejected(let reasons): return .rejected(reasons)
        case .undetermined(let reason): return .undetermined(reason)
        }
        let transaction = await part(payload.data?.signedTransaction, "transaction") { await verify(transaction: $0) }
        let renewal = await part(payload.data?.signedRenewal, "renewal") { await verify(renewal: $0) }
        let appTransaction = await part(payload.appData?.signedAppTransaction, "app transaction") {
            await verify(appTransaction: $0)
        }
        let reasons = transaction.reasons + renewal.reasons + appTransaction.reasons
        guard reasons.isEmpty else { return .rejected(reasons) }
        if let doubt = transaction.doubt ?? renewal.doubt ?? appTransaction.doubt { return .undetermined(doubt) }
        return .verified(
            SignedNotification(
                payload: payload, transaction: transaction.value, renewal: renewal.value,
                appTransaction: appTransaction.value, signedData: signedData))
    }

    /// Signed part of a notification, verified separately.
    private struct Part<Value: Sendable> {
        var value: Value?
        var reasons: [RejectionReason] = []
        var doubt: String?
    }

    private func part<Value>(
        _ signedData: String?, _ name: String, _ verify: (String) async -> Verification<Value>
    ) async -> Part<Value> {
        guard let signedData else { return Part() }
        switch await verify(signedData) {
        case .verified(let value): return Part(value: value)
        case .rejected(let reasons):
            return Part(
                reasons: reasons.map { RejectionReason(code: $0.code, reason: "embedded \(name): \($0.reason)") })
        case .undetermined(let reason): return Part(doubt: "embedded \(name): \(reason)")
        }
    }
}
