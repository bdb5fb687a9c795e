internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// App Store Server API of a simulated store. It answers requests of the app's server like Apple's
/// [App Store Server API](https://developer.apple.com/documentation/appstoreserverapi).
///
/// Functions throw ``ServerError`` for a request that the App Store would refuse, and ``SimulatedStoreError`` if the
/// store's state cannot be used.
package struct SimulatedServerAPI: Sendable {
    let core: StoreCore

    /// Maximum number of transactions or notifications per page.
    static let pageSize = 20

    /// Reads the store after processing the scheduled changes that are due by now.
    func read<Value: Sendable>(_ body: @escaping @Sendable (StoreTransactionScope) throws -> Value) async throws
        -> Value
    {
        try await core.readInPlace { scope in try Self.catching { try body(scope) } }.get()
    }

    /// Changes the store. The function must check a request before it changes anything, because changes are committed
    /// even if the request is refused.
    func change<Value: Sendable>(_ body: @escaping @Sendable (inout StoreTransactionScope) throws -> Value) async throws
        -> Value
    {
        try await core.perform { scope in try Self.catching { try body(&scope) } }.get()
    }

    /// Returns the error response of a function as a result, because the database would treat a thrown error as its
    /// own.
    private static func catching<Value>(_ body: () throws -> Value) throws -> Result<Value, ServerError> {
        do {
            return .success(try body())
        } catch let error as ServerError {
            return .failure(error)
        }
    }
}

extension SimulatedStore {
    /// App Store Server API of the store, for all of its customers.
    package var serverAPI: SimulatedServerAPI { SimulatedServerAPI(core: core) }
}

/// Customer to whom a server's request relates.
struct ServerSubject {
    let customer: Int64
    /// Transaction that the request names; `nil` if the request names the customer's app transaction.
    let record: PurchaseRecord?
}

extension StoreTransactionScope {
    /// Maximum number of digits of a transaction number.
    private static let mostDigits = 19

    /// Converts the identifier of a transaction to its number.
    ///
    /// - Throws: ``ServerError`` with the given code if the identifier is not a number.
    static func number(_ identifier: String, _ code: ServerError.Code) throws(ServerError) -> Int64 {
        let bytes = identifier.utf8
        guard (1...mostDigits).contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int64(identifier), String(number) == identifier
        else { throw ServerError(code, "Invalid request. The transaction id is invalid.") }
        return number
    }

    /// Returns the transaction with a number, except pending purchases; `nil` if there is none.
    func serverTransaction(_ number: Int64) throws -> PurchaseRecord? {
        let statement = try database.cachedStatement(sql: "SELECT * FROM purchase WHERE id = ? AND NOT isPending")
        return try PurchaseRecord.fetchOne(statement, arguments: [number])
    }

    /// Returns the customer whose transaction or app transaction has the given identifier.
    ///
    /// - Throws: ``ServerError`` `invalidTransactionID` or `transactionIDNotFound`.
    func subject(_ identifier: String) throws -> ServerSubject {
        let number = try Self.number(identifier, .invalidTransactionID)
        if let record = try serverTransaction(number) {
            return ServerSubject(customer: record.customer, record: record)
        }
        guard let customer = try customer(withAppTransaction: identifier) else {
            throw ServerError(.transactionIDNotFound, "Transaction id not found.")
        }
        return ServerSubject(customer: customer, record: nil)
    }

    /// Returns the transaction with the identifier in a server's request.
    ///
    /// - Throws: ``ServerError`` `invalidTransactionID`, `transactionIDNotFound` or, for the identifier of an app
    ///   transaction, `appTransactionIDNotSupported`.
    func transaction(forServer identifier: String) throws -> PurchaseRecord {
        guard let record = try subject(identifier).record else {
            throw ServerError(
                .appTransactionIDNotSupported, "Invalid request. The id of an app transaction is not supported here.")
        }
        return record
    }

    func customer(withAppTransaction identifier: String) throws -> Int64? {
        guard identifier.utf8.count == 18 else { return nil }
        let customers = try Int64.fetchAll(database, sql: "SELECT id FROM customer ORDER BY id")
        return customers.first { core.seed.appTransactionID(of: $0) == identifier }
    }
}
