/// Error of a simulated store.
public struct SimulatedStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Category of a simulated store's error. Later versions may add more.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There is no store in the directory.
        public static let notFound = Code("not-found")
        /// The configuration is not a readable `.storekit` file.
        public static let invalidConfiguration = Code("invalid-configuration")
        /// The transaction does not exist, or does not permit the operation.
        public static let noSuchTransaction = Code("no-such-transaction")
        /// The product does not exist, or does not permit the operation.
        public static let noSuchProduct = Code("no-such-product")
        /// The storefront does not exist.
        public static let noSuchStorefront = Code("no-such-storefront")
        /// The store's directory or files cannot be read or written now.
        public static let storage = Code("storage")
        /// The store's files are damaged.
        public static let damaged = Code("damaged")
    }

    public let code: Code
    /// Description of the error, as a sentence without capital letter and period.
    public let reason: String

    public var description: String { reason }
}
