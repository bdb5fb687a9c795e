/// Validation date, at which certificates must have been valid.
public enum CertificateValidity: Sendable, Hashable {
    /// Date of the signature, as specified in the signed data: suitable for stored data.
    case whenSigned
    /// Current date: suitable for data that was just received from the store.
    case current
}
