package import Foundation

/// Key that verifies the signatures of customer states.
package struct PublicKey: JSONBody, Hashable {
    /// Ed25519 public key in raw form.
    package let key: Data

    package init(key: Data) { self.key = key }
}

/// Signed data of the store that a device reports.
package struct SignedItems: JSONBody, Hashable {
    /// Maximum number of items in a request.
    package static let most = 50

    package let signed: [String]
    /// Identifier to which the store binds the data that it signs for the device; `nil` if the device has none.
    package let deviceVerificationID: UUID?

    package init(signed: [String], deviceVerificationID: UUID? = nil) {
        (self.signed, self.deviceVerificationID) = (signed, deviceVerificationID)
    }
}

/// Results for reported items, in their order.
package struct SignedResults: JSONBody, Hashable {
    package let results: [SignedAnswer]

    package init(results: [SignedAnswer]) { self.results = results }
}

/// Result for one item of signed data that a device has sent.
package struct SignedAnswer: Sendable, Hashable, Codable {
    package enum Result: String, Sendable, Hashable, Codable, CaseIterable {
        /// The data contained a new fact.
        case accepted
        /// All facts in the data were already recorded.
        case known
        /// The data was not signed by the store, belongs to another app, or contradicts what the store has signed later or
        /// what is recorded.
        case rejected
        /// The data cannot be verified or delivered at the moment.
        case undetermined
        /// The data belongs to another customer.
        case elsewhere

        /// A result that is added to the protocol later leaves the data unreported.
        package init(from decoder: any Decoder) throws {
            self = Result(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .undetermined
        }
    }

    package var result: Result
    /// Reason why the data was not recorded; `nil` if it was.
    package var reason: String?

    package init(result: Result, reason: String? = nil) { (self.result, self.reason) = (result, reason) }
}

/// State of a customer.
package struct CustomerStateDocument: JSONBody, Hashable {
    package struct Owned: Sendable, Hashable, Codable {
        package let product: String
        package let reasons: [Reason]

        package init(product: String, reasons: [Reason]) { (self.product, self.reasons) = (product, reasons) }
    }

    package struct Reason: Sendable, Hashable, Codable {
        package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
            case transaction, grant, bundle, formerBundle
        }

        package let kind: Kind
        /// Owned bundle that contains the product.
        package let bundle: String?
        package let transaction: String?
        /// End of the ownership, in milliseconds since 1970; `nil` if it has no end.
        package let expires: Int64?
        package let description: String

        package init(
            kind: Kind, bundle: String? = nil, transaction: String? = nil, expires: Int64? = nil, description: String
        ) {
            (self.kind, self.bundle, self.transaction) = (kind, bundle, transaction)
            (self.expires, self.description) = (expires, description)
        }
    }

    /// Product whose ownership is unknown.
    package struct Unknown: Sendable, Hashable, Codable {
        package let product: String
        package let reason: String

        package init(product: String, reason: String) { (self.product, self.reason) = (product, reason) }
    }

    package let app: String
    package let customer: String
    /// Sequence number of the customer's last fact.
    package let sequence: Int64
    /// SHA-256 digest of the catalog file, in hexadecimal; `nil` if no catalog is published.
    package let catalog: String?
    package let owned: [Owned]
    package let unknown: [Unknown]
    package let wallets: [String: Int]
    /// Next date at which the passage of time changes the state, in milliseconds since 1970; `nil` if there is none.
    package let until: Int64?

    package init(
        app: String, customer: String, sequence: Int64, catalog: String?, owned: [Owned], unknown: [Unknown],
        wallets: [String: Int], until: Int64?
    ) {
        (self.app, self.customer, self.sequence, self.catalog) = (app, customer, sequence, catalog)
        (self.owned, self.unknown, self.wallets, self.until) = (owned, unknown, wallets, until)
    }

    /// Returns the bytes that the server signs for a state.
    ///
    /// - Parameters:
    ///   - nonce: Text from the device, which prevents the replay of an earlier answer.
    ///   - body: JSON document of the state.
    package static func signedBytes(nonce: String, body: Data) -> Data {
        Data("vitrine-customer-state\n\(nonce)\n".utf8) + body
    }
}

/// Event of the stream of a customer's changes.
package struct ChangeEvent: JSONBody, Hashable {
    /// Sequence number of the customer's last fact.
    package let sequence: Int64

    package init(sequence: Int64) { self.sequence = sequence }
}
