/// Result of verifying signed data.
public enum Verification<Value: Sendable>: Sendable {
    /// Every check was made and passed.
    case verified(Value)
    /// A check was made and failed. Trying again changes nothing.
    case rejected([RejectionReason])
    /// A check could not be made, so the result is unknown; try again later.
    case undetermined(String)
}

/// Reason for which signed data is rejected: a check that it failed.
public struct RejectionReason: Error, Sendable, Hashable, CustomStringConvertible {
    /// Type of the check. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The data does not have the expected format.
        public static let malformed = Code("malformed")
        /// The data is signed with an algorithm that is not accepted.
        public static let algorithm = Code("algorithm")
        /// The signature does not match the data and the signer's certificate.
        public static let signature = Code("signature")
        /// The certificates do not lead to a trusted root.
        public static let certificateChain = Code("certificate-chain")
        /// A certificate lacks the Apple marker OID of the store's certificates.
        public static let certificateMark = Code("certificate-mark")
        /// A certificate was not valid at the validation date.
        public static let certificateValidity = Code("certificate-validity")
        /// A certificate has been revoked by its issuer.
        public static let certificateRevoked = Code("certificate-revoked")
        /// The signed content is not valid.
        public static let payload = Code("payload")
        /// The data was signed for another app.
        public static let bundleIdentifier = Code("bundle-identifier")
        /// The data was signed for an app with another App Store identifier.
        public static let appIdentifier = Code("app-identifier")
        /// The data was signed for another version of the app.
        public static let appVersion = Code("app-version")
        /// The data was signed by another environment of the store.
        public static let environment = Code("environment")
        /// The receipt was issued for another device.
        public static let device = Code("device")
        /// The receipt has expired by its own expiration date.
        public static let expired = Code("expired")
        /// The store rejected the data when it was asked to verify it.
        public static let store = Code("store")
        /// The app or its server rejected the data.
        public static let app = Code("app")
    }

    public let code: Code
    /// Description of the problem, as the rest of a sentence.
    public let detail: String

    public init(code: Code, detail: String) {
        self.code = code
        self.detail = detail
    }

    public var description: String { detail }
}

/// All reasons for which data is rejected.
struct Rejection: Error {
    let reasons: [RejectionReason]

    init(_ reasons: [RejectionReason]) { self.reasons = reasons }

    init(_ code: RejectionReason.Code, _ detail: String) {
        reasons = [RejectionReason(code: code, detail: detail)]
    }
}
