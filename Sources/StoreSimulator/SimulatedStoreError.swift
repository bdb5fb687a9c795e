/// Why a simulated store cannot be used.
public struct SimulatedStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There is no store in the folder.
        public static let notFound = Code("not-found")
        /// The configuration is no `.storekit` file that can be read.
        public static let invalidConfiguration = Code("invalid-configuration")
        /// There is no such transaction, or none with which this can be done.
        public static let noSuchTransaction = Code("no-such-transaction")
        /// There is no such product, or none with which this can be done.
        public static let noSuchProduct = Code("no-such-product")
        /// There is no such storefront.
        public static let noSuchStorefront = Code("no-such-storefront")
        /// The store's folder or files cannot be read or written now.
        public static let storage = Code("storage")
        /// The store's files are not what it wrote.
        public static let damaged = Code("damaged")
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public var description: String { reason }
}
