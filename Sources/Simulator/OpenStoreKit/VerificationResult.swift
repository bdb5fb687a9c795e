internal import VitrineReceipts

/// Value that the store has signed, with the result of verifying the signature on this device.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
@frozen
public enum VerificationResult<SignedType> {
    /// The value failed a check of its signature, certificates, app, environment or device.
    case unverified(SignedType, VerificationError)
    /// The value passed all checks.
    case verified(SignedType)

    /// Reason why signed data was not verified.
    @nonexhaustive
    public enum VerificationError: Error, Hashable, Sendable {
        case revokedCertificate
        case invalidCertificateChain
        case invalidDeviceVerification
        case invalidEncoding
        case invalidSignature
        case missingRequiredProperties
    }

    /// The value.
    ///
    /// - Throws: ``VerificationError`` if the value is not verified.
    public var payloadValue: SignedType {
        get throws {
            switch self {
            case .unverified(_, let error): throw error
            case .verified(let value): return value
            }
        }
    }

    /// The value, verified or not.
    public var unsafePayloadValue: SignedType {
        switch self {
        case .unverified(let value, _), .verified(let value): value
        }
    }
}

@available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
extension VerificationResult.VerificationError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .revokedCertificate: "A certificate of the signature was revoked."
        case .invalidCertificateChain: "The certificates of the signature do not lead to the store's root."
        case .invalidDeviceVerification: "The signed data is for another app, environment or device."
        case .invalidEncoding: "The signed data is not encoded as a JSON Web Signature."
        case .invalidSignature: "The signature does not match the signed data."
        case .missingRequiredProperties: "The signed data lacks required properties."
        }
    }

    public var failureReason: String? { errorDescription }

    public var recoverySuggestion: String? { "Unlock nothing for this data, and request it again later." }
}

extension VerificationResult: Sendable where SignedType: Sendable {}

extension VerificationResult: Equatable where SignedType: Equatable {}

extension VerificationResult: Hashable where SignedType: Hashable {}

extension VerificationResult: CustomDebugStringConvertible where SignedType: CustomDebugStringConvertible {
    public var debugDescription: String {
        switch self {
        case .unverified(let value, let error): "unverified (\(error)): \(value.debugDescription)"
        case .verified(let value): "verified: \(value.debugDescription)"
        }
    }
}

extension VerificationResult.VerificationError {
    /// Creates an error from the first reason why the verifier rejected signed data.
    init(_ reasons: [RejectionReason]) {
        self =
            switch reasons.first?.code {
            case .malformed, .algorithm: .invalidEncoding
            case .signature, nil: .invalidSignature
            case .certificateChain, .certificateMark, .certificateValidity: .invalidCertificateChain
            case .certificateRevoked: .revokedCertificate
            case .payload: .missingRequiredProperties
            case .bundleIdentifier, .appIdentifier, .appVersion, .environment, .device, .expired, .store, .app:
                .invalidDeviceVerification
            }
    }

    /// Returns the same error for signed data of another type, because the error type is nested in a generic type.
    func converted<Other>() -> VerificationResult<Other>.VerificationError {
        switch self {
        case .revokedCertificate: .revokedCertificate
        case .invalidCertificateChain: .invalidCertificateChain
        case .invalidDeviceVerification: .invalidDeviceVerification
        case .invalidEncoding: .invalidEncoding
        case .invalidSignature: .invalidSignature
        case .missingRequiredProperties: .missingRequiredProperties
        }
    }
}
