internal import Entitlements
internal import Foundation
internal import GRDB
internal import ProductCatalog

/// A row of the ledger's table.
struct EntryRecord: Codable, FetchableRecord, MutablePersistableRecord {
    static let databaseTableName = "entry"

    var sequence: Int64?
    var kind: String
    var key: String
    var recordedAt: Int64
    var productIdentifier: String?
    var transactionID: String?
    var productKind: String?
    var quantity: Int?
    var purchaseDate: Int64?
    var environment: String?
    var signedData: String?
    var reason: String?
    var wallet: String?
    var amount: Int?
    var revocationDate: Int64?
    var originalVersion: String?
    var platform: String?
    var signedDate: Int64?

    init(fact: Fact, recordedAt date: Date) {
        kind = fact.kind.rawValue
        key = fact.key
        recordedAt = date.milliseconds
        switch fact {
        case .purchase(let purchase):
            productIdentifier = purchase.productIdentifier
            transactionID = purchase.transactionID
            productKind = purchase.kind.rawValue
            quantity = purchase.quantity
            purchaseDate = purchase.purchaseDate.milliseconds
            environment = purchase.environment
            signedData = purchase.signedData
        case .grant(let grant):
            productIdentifier = grant.productIdentifier
            reason = grant.reason
        case .credit(let credit):
            productIdentifier = credit.productIdentifier
            wallet = credit.wallet
            amount = credit.amount
        case .debit(let debit):
            wallet = debit.wallet
            amount = debit.amount
        case .revocation(let revocation):
            productIdentifier = revocation.productIdentifier
            transactionID = revocation.transactionID
            revocationDate = revocation.revocationDate.milliseconds
            environment = revocation.environment
            signedData = revocation.signedData
            wallet = revocation.takenBack?.wallet
            amount = revocation.takenBack?.amount
        case .appPurchase(let purchase):
            originalVersion = purchase.original.version
            purchaseDate = purchase.original.date.milliseconds
            platform = purchase.original.platform?.rawValue
            signedDate = purchase.signedDate.milliseconds
            environment = purchase.environment
            signedData = purchase.signedData
        }
    }

    mutating func didInsert(_ inserted: InsertionSuccess) { sequence = inserted.rowID }

    /// - Throws: ``LedgerError`` for a row that this version cannot have written.
    func entry() throws -> LedgerEntry {
        guard let sequence, let fact else {
            throw LedgerError(
                code: .damaged, reason: "entry \(sequence ?? 0) of the ledger is not one that this version can read")
        }
        return LedgerEntry(sequence: sequence, recordedAt: Date(milliseconds: recordedAt), fact: fact)
    }

    private var takenBack: Fact.WalletAmount? {
        guard let wallet, let amount else { return nil }
        return Fact.WalletAmount(wallet: wallet, amount: amount)
    }

    private var fact: Fact? {
        switch Fact.Kind(rawValue: kind) {
        case .purchase:
            guard let productIdentifier, let transactionID, let productKind = productKind.flatMap(ProductKind.init),
                let quantity, let purchaseDate, let environment, let signedData
            else { return nil }
            return .purchase(
                Fact.Purchase(
                    originalTransactionID: key, transactionID: transactionID, productIdentifier: productIdentifier,
                    kind: productKind, quantity: quantity, purchaseDate: Date(milliseconds: purchaseDate),
                    environment: environment, signedData: signedData))
        case .grant:
            guard let productIdentifier, let reason else { return nil }
            return .grant(Fact.Grant(token: key, productIdentifier: productIdentifier, reason: reason))
        case .credit:
            guard let productIdentifier, let wallet, let amount else { return nil }
            return .credit(
                Fact.Credit(
                    originalTransactionID: key, productIdentifier: productIdentifier, wallet: wallet, amount: amount))
        case .debit:
            guard let wallet, let amount else { return nil }
            return .debit(Fact.Debit(token: key, wallet: wallet, amount: amount))
        case .revocation:
            guard let productIdentifier, let transactionID, let revocationDate, let environment, let signedData else {
                return nil
            }
            return .revocation(
                Fact.Revocation(
                    originalTransactionID: key, transactionID: transactionID, productIdentifier: productIdentifier,
                    revocationDate: Date(milliseconds: revocationDate), environment: environment,
                    signedData: signedData, takenBack: takenBack))
        case .appPurchase:
            guard let originalVersion, let purchaseDate, let environment, let signedDate, let signedData else {
                return nil
            }
            return .appPurchase(
                Fact.AppPurchase(
                    original: OriginalPurchase(
                        version: originalVersion, date: Date(milliseconds: purchaseDate),
                        platform: platform.map(AppPlatform.init)),
                    environment: environment, signedDate: Date(milliseconds: signedDate), signedData: signedData))
        case nil:
            return nil
        }
    }
}

extension EntryRecord {
    static func entries(after sequence: Int64, in database: Database) throws -> [LedgerEntry] {
        try filter { $0.sequence > sequence }.order { $0.sequence }.fetchAll(database).map { try $0.entry() }
    }

    static func find(_ kind: Fact.Kind, key: String, in database: Database) throws -> EntryRecord? {
        try filter { $0.kind == kind.rawValue && $0.key == key }.fetchOne(database)
    }

    static func balance(of wallet: String, in database: Database) throws -> Int {
        try Int.fetchOne(
            database,
            sql:
                "SELECT COALESCE(SUM(CASE kind WHEN 'credit' THEN amount ELSE -amount END), 0) FROM entry WHERE wallet = ?",
            arguments: [wallet]
        ) ?? 0
    }

    enum Columns {
        static let sequence = Column(CodingKeys.sequence)
        static let kind = Column(CodingKeys.kind)
        static let key = Column(CodingKeys.key)
    }
}
