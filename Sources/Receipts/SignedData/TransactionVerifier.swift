/// Tells whether what a store has signed can be trusted.
public protocol TransactionVerifier: Sendable {
    /// Checks a transaction in compact JWS form.
    func verify(transaction signedData: String) async -> Verification<SignedTransaction>

    /// Checks an app transaction in compact JWS form.
    func verify(appTransaction signedData: String) async -> Verification<SignedAppTransaction>

    /// Checks what the store says about a renewal, in compact JWS form.
    func verify(renewal signedData: String) async -> Verification<SignedRenewal>
}
