internal import VitrineSupport

extension SignedDataVerifier {
    /// Verifies a version 2 notification in compact JWS form, and the transaction, renewal information and app
    /// transaction in it, all by the same rules. The notification is accepted only if all of them are for this app and
    /// from this environment.
    public func verify(notification signedData: String) async -> Verification<SignedNotification> {
        let outer = await verify(signedData) { (payload: NotificationPayload) in payload }
        let payload: NotificationPayload
        switch outer {
        case .verified(let value): payload = value
        case .rejected(let reasons): return .rejected(reasons)
        case .undetermined(let reason): return .undetermined(reason)
        }
        let inner = Inner(
            transaction: await part(payload.data?.signedTransaction, "transaction") { await verify(transaction: $0) },
            renewal: await part(payload.data?.signedRenewal, "renewal") { await verify(renewal: $0) },
            appTransaction: await part(payload.appData?.signedAppTransaction, "app transaction") {
                await verify(appTransaction: $0)
            })
        guard inner.reasons.isEmpty else { return .rejected(inner.reasons) }
        if let doubt = inner.doubt { return .undetermined(doubt) }
        return .verified(
            SignedNotification(
                payload: payload, transaction: inner.transaction.value, renewal: inner.renewal.value,
                appTransaction: inner.appTransaction.value, signedData: signedData))
    }

    /// Signed parts of a notification, each verified separately.
    private struct Inner {
        let transaction: Part<SignedTransaction>
        let renewal: Part<SignedRenewal>
        let appTransaction: Part<SignedAppTransaction>

        var reasons: [RejectionReason] { transaction.reasons + renewal.reasons + appTransaction.reasons }
        var doubt: String? { transaction.doubt ?? renewal.doubt ?? appTransaction.doubt }
    }

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
