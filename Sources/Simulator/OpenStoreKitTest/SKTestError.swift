public import OpenStoreKit
internal import VitrineStoreSimulator

/// Error of a test session.
@available(iOS 14.0, macOS 11.0, tvOS 14.0, watchOS 7.0, visionOS 1.0, *)
public struct SKTestError: Error, Hashable, Sendable {
    public let code: Code

    public init(_ code: Code) { self.code = code }

    /// Category of the error.
    public enum Code: Int, Hashable, Sendable, CaseIterable {
        /// The session cannot perform the action in the transaction's present state.
        case invalidAction = 0
        /// The store does not have the product.
        case invalidProductIdentifier = 1
        /// The product is of a type to which the call does not apply.
        case invalidProductType = 2
        /// The configuration is not a file with the extension `storekit`, or is not valid.
        case invalidURL = 3
        case fileNotFound = 4
        case noSubscriptionFound = 5
        case noTransactionFound = 6
    }

    public static var invalidAction: Code { .invalidAction }
    public static var invalidProductIdentifier: Code { .invalidProductIdentifier }
    public static var invalidProductType: Code { .invalidProductType }
    public static var invalidURL: Code { .invalidURL }
    public static var fileNotFound: Code { .fileNotFound }
    public static var noSubscriptionFound: Code { .noSubscriptionFound }
    public static var noTransactionFound: Code { .noTransactionFound }
}

extension SKTestError.Code {
    public static func ~= (code: SKTestError.Code, error: any Error) -> Bool { (error as? SKTestError)?.code == code }
}

extension SKTestError: CustomNSError {
    public static var errorDomain: String { "SKTestErrorDomain" }

    public var errorCode: Int { code.rawValue }
}

extension SKTestError: LocalizedError {
    public var errorDescription: String? {
        switch code {
        case .invalidAction: "The action does not apply to the transaction in its present state."
        case .invalidProductIdentifier: "The store has no product with this identifier."
        case .invalidProductType: "The action does not apply to a product of this type."
        case .invalidURL: "The configuration is not a valid .storekit file."
        case .fileNotFound: "There is no such .storekit file."
        case .noSubscriptionFound: "The customer has no such subscription."
        case .noTransactionFound: "The customer has no such transaction."
        }
    }

    public var failureReason: String? { errorDescription }
}

extension SKTestError {
    init(_ error: SimulatedStoreError) {
        let code: Code =
            switch error.code {
            case .noSuchTransaction: .noTransactionFound
            case .noSuchProduct: .invalidProductIdentifier
            case .noSuchSubscription: .noSubscriptionFound
            case .notFound: .fileNotFound
            case .invalidConfiguration: .invalidURL
            default: .invalidAction
            }
        self.init(code)
    }
}
