/// The answer to whether signed data can be trusted.
public enum Verification<Value: Sendable>: Sendable {
    /// Every check was made and passed.
    case verified(Value)
    /// A check was made and failed. Trying again changes nothing.
    case rejected([RejectionReason])
    /// A check could not be made. Nothing follows from that; try again later.
    case undetermined(String)
}

/// A check that signed data failed.
public struct RejectionReason: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of check it was. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The data has not the form of what it is said to be.
        public static let malformed = Code("malformed")
        /// It is signed with an algorithm that is not accepted.
        public static let algorithm = Code("algorithm")
        /// The signature does not belong to the data and the signer's certificate.
        public static let signature = Code("signature")
        /// The certificates lead to no trusted root.
        public static let certificateChain = Code("certificate-chain")
        /// A certificate lacks the mark that the store's certificates carry.
        public static let certificateMark = Code("certificate-mark")
        /// A certificate was not valid at the date that counts.
        public static let certificateValidity = Code("certificate-validity")
        /// Its issuer has revoked a certificate.
        public static let certificateRevoked = Code("certificate-revoked")
        /// The signed content is not what it should be.
        public static let payload = Code("payload")
        /// The data was signed for another app.
        public static let bundleIdentifier = Code("bundle-identifier")
        /// The data was signed for an app with another identifier in the App Store.
        public static let appIdentifier = Code("app-identifier")
        /// The data was signed for another version of the app.
        public static let appVersion = Code("app-version")
        /// The data was signed by another environment of the store.
        public static let environment = Code("environment")
        /// The receipt was issued for another device.
        public static let device = Code("device")
        /// The receipt is no longer good by its own expiry date.
        public static let expired = Code("expired")
        /// The store itself, asked about it, rejects it.
        public static let store = Code("store")
        /// The app itself, or its server, has rejected it.
        public static let app = Code("app")
    }

    public let code: Code
    /// What was found, as the rest of a sentence.
    public let detail: String

    public init(code: Code, detail: String) {
        self.code = code
        self.detail = detail
    }

    public var description: String { detail }
}

/// The reasons for which something is not trusted, all that were found at once.
struct Rejection: Error {
    let reasons: [RejectionReason]

    init(_ reasons: [RejectionReason]) { self.reasons = reasons }

    init(_ code: RejectionReason.Code, _ detail: String) {
        reasons = [RejectionReason(code: code, detail: detail)]
    }
}
