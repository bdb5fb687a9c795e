/// Verifier of data that a store has signed.
public protocol TransactionVerifier: Sendable {
    /// Verifies a transaction in compact JWS form.
    func verify(transaction signedData: String) async -> Verification<SignedTransaction>

    /// Verifies an app transaction in compact JWS form.
    func verify(appTransaction signedData: String) async -> Verification<SignedAppTransaction>

    /// Verifies renewal information in compact JWS form.
    func verify(renewal signedData: String) async -> Verification<SignedRenewal>
}
