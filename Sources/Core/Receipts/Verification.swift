@_exported public import struct VitrineSupport.CodedError
@_exported public import protocol VitrineSupport.DescribedError
@_exported public import protocol VitrineSupport.ErrorCode

/// Result of verifying signed data.
public enum Verification<Value: Sendable>: Sendable {
    /// All checks of the signed data were made and passed.
    case verified(Value)
    /// A check of the signed data was made and failed. Repeating the verification does not change the result.
    case rejected([RejectionReason])
    /// A check of the signed data could not be made, so that the result is unknown. The verification can be repeated
    /// later.
    case undetermined(String)
}

/// Reason why signed data is rejected: a failed check.
public typealias RejectionReason = CodedError<RejectionCode>

/// Category of ``RejectionReason``.
public enum RejectionCode: String, ErrorCode {
    /// The signed data does not have the expected format.
    case malformed
    /// The signature is made with an algorithm that is not accepted.
    case algorithm
    /// The signature does not match the signed data and the signer's certificate.
    case signature
    /// The certificates do not lead to a trusted root.
    case certificateChain = "certificate-chain"
    /// A certificate lacks the Apple marker OID of the store's certificates.
    case certificateMark = "certificate-mark"
    /// A certificate was not valid at the validation date.
    case certificateValidity = "certificate-validity"
    /// A certificate has been revoked by its issuer.
    case certificateRevoked = "certificate-revoked"
    /// The signed content is not valid.
    case payload
    /// The signed data is for another app.
    case bundleIdentifier = "bundle-identifier"
    /// The signed data is for an app with another App Store identifier.
    case appIdentifier = "app-identifier"
    /// The receipt was issued for another version of the app.
    case appVersion = "app-version"
    /// The signed data is from another environment of the store.
    case environment
    /// The receipt was issued for another device.
    case device
    /// The expiration date of the receipt has passed.
    case expired
    /// The store's own verification rejected the signed data.
    case store
    /// The app or its server rejected the signed data.
    case app

    public var advice: String? {
        switch self {
        case .malformed, .payload: "Request the data from the store again."
        case .algorithm, .signature, .certificateChain, .certificateMark:
            "Request the data from the store again. In tests, trust the root of the environment that signs."
        case .certificateValidity: "Set the date and time of the device correctly."
        case .certificateRevoked: "Request the data from the store again, which signs it with a valid certificate."
        case .bundleIdentifier, .appIdentifier: "Check the identifiers of the app with which the verifier was created."
        case .appVersion: "Request a new receipt: the app was updated after the receipt was issued."
        case .environment: "Let the verifier accept the store environment only if this copy of the app is for tests."
        case .device: "Request a new receipt for this device."
        case .expired: "Request a new receipt."
        // The reason is known only to the store, or to the app and its server.
        case .store, .app: nil
        }
    }
}

/// All reasons why data is rejected.
struct Rejection: Error {
    let reasons: [RejectionReason]

    init(_ reasons: [RejectionReason]) { self.reasons = reasons }

    init(_ code: RejectionReason.Code, _ detail: String) { reasons = [RejectionReason(code, detail)] }
}

extension RejectionReason {
    init(_ code: Code, _ detail: String) { self.init(code: code, reason: detail) }

    /// Creates the reason to reject data that is signed for another app.
    static func otherApp(_ app: String, than expected: String) -> RejectionReason {
        RejectionReason(.bundleIdentifier, "the data is signed for the app \(app.prefix(200)), not for \(expected)")
    }
}

extension Verification {
    static func rejected(_ code: RejectionReason.Code, _ detail: String) -> Verification {
        .rejected([RejectionReason(code, detail)])
    }
}
