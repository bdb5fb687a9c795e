internal import Crypto
internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// Pseudonyms in a recording for values that identify persons and transactions. Within one recording, a value always
/// has the same pseudonym. Values cannot be guessed without the salt, which only the store has.
struct Pseudonyms {
    private let scope: StoreTransactionScope
    private let salt: SymmetricKey

    init(_ scope: StoreTransactionScope, salt: Data) { (self.scope, self.salt) = (scope, SymmetricKey(data: salt)) }

    /// Returns the position of a transaction, from 1, among all transactions that the store has numbered.
    func number(_ transaction: Int64) -> Int64 { scope.core.seed.place(of: transaction) }

    /// Returns the position of the transaction with an identifier, from 1.
    ///
    /// - Throws: ``SimulatedStoreError`` `noSuchTransaction` if the identifier is not a number.
    func number(_ identifier: String) throws -> Int64 {
        guard let transaction = Int64(identifier) else {
            throw SimulatedStoreError(code: .noSuchTransaction, reason: "the store has no transaction \(identifier)")
        }
        return number(transaction)
    }

    /// Returns the pseudonym of an account token.
    func token(_ token: String) -> UUID { uuid("token \(token.uppercased())") }

    /// Returns the pseudonym of a name or of a request identifier: a UUID in lower case.
    func text(_ text: String) -> String { uuid("text \(text)").uuidString.lowercased() }

    func order(_ request: OrderRequest) throws -> StoreAction.Order {
        StoreAction.Order(
            customer: request.customer, device: request.device, product: request.identifier,
            quantity: request.options.quantity,
            price: try scope.core.item(request.identifier).map { try scope.price(of: $0) } ?? 0,
            storefront: request.storefront, offer: request.offer,
            accountToken: request.options.accountToken.map { token($0.uuidString) })
    }

    /// Maximum length of a text in a consumption report, in characters.
    private static let longestValue = 100

    /// Returns a consumption report with only the fields that Apple documents.
    func report(_ body: ServerBody) -> [String: JSONValue] {
        var report = body.fields.filter { name, value in
            ConsumptionReportVersion.fields.contains(name) && (value.string?.count ?? 0) <= Self.longestValue
        }
        if let token = report[ConsumptionReportVersion.tokenField]?.string, !token.isEmpty {
            report[ConsumptionReportVersion.tokenField] = .string(self.token(token).uuidString.lowercased())
        }
        return report
    }

    private func uuid(_ text: String) -> UUID {
        HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: salt).withUnsafeBytes {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }
}

extension StoreSeed {
    /// Returns the position of a transaction, from 1, among all transactions that the store has numbered.
    func place(of transaction: Int64) -> Int64 { transaction - firstTransactionID + 1 }

    /// Returns the number of the transaction at a position.
    func transaction(at place: Int64) -> Int64 { place + firstTransactionID - 1 }
}

extension ConsumptionReportVersion {
    /// Name of the report's field with the token of an account of the app.
    static let tokenField = "appAccountToken"

    /// Names of the fields in both versions of the report.
    static let fields: Set = [
        "customerConsented", "consumptionStatus", "platform", "sampleContentProvided", "deliveryStatus", tokenField,
        "accountTenure", "playTime", "lifetimeDollarsRefunded", "lifetimeDollarsPurchased", "userStatus",
        "refundPreference", "consumptionPercentage",
    ]
}
