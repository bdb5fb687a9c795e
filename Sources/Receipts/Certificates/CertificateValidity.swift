/// The date at which certificates must have been valid.
public enum CertificateValidity: Sendable, Hashable {
    /// When the data was signed, as the data itself says: right for what is kept.
    case whenSigned
    /// Now: right for what has just come from the store.
    case current
}
