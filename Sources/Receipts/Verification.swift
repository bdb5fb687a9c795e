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
public struct RejectionReason: Sendable, Hashable, CustomStringConvertible {
    /// What kind of check it was. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The data is no compact JWS with a chain of three certificates.
        public static let malformed = Code("malformed")
        /// The algorithm is not ES256.
        public static let algorithm = Code("algorithm")
        /// The signature does not belong to the data and the leaf certificate.
        public static let signature = Code("signature")
        /// The certificates lead to no trusted root, were not valid at the signed date, or lack the store's marks.
        public static let certificateChain = Code("certificate-chain")
        /// The signed content is not what it should be.
        public static let payload = Code("payload")
        /// The data was signed for another app.
        public static let bundleIdentifier = Code("bundle-identifier")
        /// The data was signed by another environment of the store.
        public static let environment = Code("environment")
        /// The app itself has rejected it.
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
