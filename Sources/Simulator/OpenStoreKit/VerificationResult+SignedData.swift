public import Crypto
internal import VitrineReceipts

// Apple declares these properties for each type of signed value. With a constraint to a protocol, generic code would
// compile here that does not compile there.

extension VerificationResult where SignedType == Transaction {
    /// Signed data, as a JSON Web Signature in compact form (RFC 7515).
    public var jwsRepresentation: String { unsafePayloadValue.jws.text }

    public var headerData: Data { unsafePayloadValue.jws.header }

    public var payloadData: Data { unsafePayloadValue.jws.payload }

    public var signatureData: Data { unsafePayloadValue.jws.signature }

    /// Bytes that the signature covers.
    public var signedData: Data { unsafePayloadValue.jws.signedBytes }

    /// Signature of `signedData`, as a type of CryptoKit or, on Linux, of swift-crypto.
    public var signature: P256.Signing.ECDSASignature { unsafePayloadValue.jws.ecdsaSignature }

    /// Date at which the store signed the value.
    public var signedDate: Date { unsafePayloadValue.signedDate }

    /// Hash that binds the value to a device.
    public var deviceVerification: Data { unsafePayloadValue.deviceVerification }

    public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
    /// Signed data, as a JSON Web Signature in compact form (RFC 7515).
    public var jwsRepresentation: String { unsafePayloadValue.jws.text }

    public var headerData: Data { unsafePayloadValue.jws.header }

    public var payloadData: Data { unsafePayloadValue.jws.payload }

    public var signatureData: Data { unsafePayloadValue.jws.signature }

    /// Bytes that the signature covers.
    public var signedData: Data { unsafePayloadValue.jws.signedBytes }

    /// Signature of `signedData`, as a type of CryptoKit or, on Linux, of swift-crypto.
    public var signature: P256.Signing.ECDSASignature { unsafePayloadValue.jws.ecdsaSignature }

    /// Date at which the store signed the value.
    public var signedDate: Date { unsafePayloadValue.signedDate }

    /// Hash that binds the value to a device.
    public var deviceVerification: Data { unsafePayloadValue.deviceVerification }

    public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

@available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
extension VerificationResult where SignedType == AppTransaction {
    /// Signed data, as a JSON Web Signature in compact form (RFC 7515).
    public var jwsRepresentation: String { unsafePayloadValue.jws.text }

    public var headerData: Data { unsafePayloadValue.jws.header }

    public var payloadData: Data { unsafePayloadValue.jws.payload }

    public var signatureData: Data { unsafePayloadValue.jws.signature }

    /// Bytes that the signature covers.
    public var signedData: Data { unsafePayloadValue.jws.signedBytes }

    /// Signature of `signedData`, as a type of CryptoKit or, on Linux, of swift-crypto.
    public var signature: P256.Signing.ECDSASignature { unsafePayloadValue.jws.ecdsaSignature }

    /// Date at which the store signed the value.
    public var signedDate: Date { unsafePayloadValue.signedDate }

    /// Hash that binds the value to a device.
    public var deviceVerification: Data { unsafePayloadValue.deviceVerification }

    public var deviceVerificationNonce: UUID { unsafePayloadValue.deviceVerificationNonce }
}

extension UnverifiedJWS {
    fileprivate var ecdsaSignature: P256.Signing.ECDSASignature {
        do {
            return try P256.Signing.ECDSASignature(rawRepresentation: signature)
        } catch {
            preconditionFailure("the store has signed data with a signature of \(signature.count) bytes: \(error)")
        }
    }
}
