import Foundation
import GRDB
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineTestSupport

/// Invalid rows that the constraints of the database refuse, whatever program writes them.
extension SQLiteLedgerTests {
    /// Row of the table of entries, as SQL literals by column.
    struct Row: Sendable {
        let name: String
        var columns: [String: String]

        init(_ name: String, _ columns: [String: String]) {
            self.name = name
            self.columns = ["key": "'x'", "recordedAt": "0", "moment": "0", "checksum": "0", "summaryChecksum": "0"]
                .merging(columns) { $1 }
        }

        func with(_ changes: [String: String]) -> Row { Row(name, columns.merging(changes) { $1 }) }

        var insertion: String {
            let columns = columns.sorted { $0.key < $1.key }
            return "INSERT INTO entry (\(columns.map(\.key).joined(separator: ", "))) "
                + "VALUES (\(columns.map(\.value).joined(separator: ", ")))"
        }
    }

    private static func signed(_ name: String, _ id: String, _ columns: [String: String]) -> Row {
        Row(
            name,
            [
                "kind": "'\(name.prefix { $0 != " " })'", "key": "'\(id) 1790200000000'", "purchaseID": "'\(id)'",
                "originalTransactionID": "'\(id)'", "transactionID": "'\(id)'", "productIdentifier": "'coins'",
                "environment": "'S'", "signedDate": "1790200000000", "signedData": "'s'",
            ].merging(columns) { $1 })
    }

    private static let purchase = signed(
        "purchase", "9",
        [
            "key": "'9'", "productKind": "'nonConsumable'", "quantity": "1", "purchaseDate": "0",
            "isFamilyShared": "0",
        ])
    private static let term = signed("term", "9", ["expirationDate": "0", "isUpgraded": "0"])
    private static let revocation = signed("revocation", "2", ["revocationDate": "0"])
    private static let clawback = signed(
        "revocation with units", "1",
        ["revocationDate": "0", "wallet": "'coins'", "amount": "50", "balance": "0"])
    private static let smallerClawback = signed(
        "revocation that returns units", "4",
        ["revocationDate": "0", "wallet": "'coins'", "amount": "-7", "balance": "57"])
    private static let reinstatement = signed(
        "reinstatement", "4", ["wallet": "'coins'", "amount": "10", "balance": "60"])
    private static let credit = Row(
        "credit",
        [
            "kind": "'credit'", "key": "'2'", "purchaseID": "'2'", "productIdentifier": "'coins'",
            "wallet": "'coins'", "amount": "5", "balance": "55", "refundPolicy": "'debt'",
        ])
    private static let deposit = Row(
        "deposit",
        ["kind": "'deposit'", "wallet": "'coins'", "amount": "5", "balance": "55", "reason": "'a present'"])
    private static let debit = Row(
        "debit", ["kind": "'debit'", "wallet": "'coins'", "amount": "50", "balance": "0"])
    private static let grant = Row(
        "grant", ["kind": "'grant'", "productIdentifier": "'guide'", "reason": "'won'", "author": "''"])
    private static let lock = Row(
        "lock", ["kind": "'lock'", "productIdentifier": "'guide'", "reason": "'a mistake'", "author": "''"])
    private static let appPurchase = Row(
        "appPurchase",
        [
            "kind": "'appPurchase'", "originalVersion": "'1'", "purchaseDate": "0", "environment": "'S'",
            "signedDate": "0", "signedData": "'s'",
        ])
    private static let receipt = Row(
        "receipt", ["kind": "'receipt'", "environment": "'S'", "signedDate": "0", "signedData": "'s'"])
    private static let content = Row(
        "content",
        ["kind": "'content'", "productIdentifier": "'guide'", "contentVersion": "'1'", "contentPath": "'guide'"])
    private static let texts = ["loss", "settlement", "note"].map {
        Row($0, ["kind": "'\($0)'", "reason": "'gone'"])
    }
    private static let rows =
        [
            purchase, term, revocation, clawback, smallerClawback, reinstatement, credit, deposit, debit, grant, lock,
            appPurchase,
            receipt, content,
        ] + texts

    struct WrongState: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let statement: String
        /// Expected part of SQLite's error message.
        var message = ""

        init(_ description: String, _ statement: String, _ message: String = "") {
            testDescription = description
            self.statement = statement
            self.message = message
        }

        init(_ description: String, _ row: Row, _ changes: [String: String], _ message: String = "") {
            self.init(description, row.with(changes).insertion, message)
        }
    }

    /// Rows that each lack one column that their kind requires.
    private static let incomplete = rows.flatMap { row in
        row.columns.keys.sorted().map { WrongState("a \(row.name) without \($0)", row, [$0: "NULL"]) }
    }

    /// Rows with units although their kind of entry has none.
    private static let withUnits =
        ([purchase, term, grant, lock, appPurchase, receipt, content] + texts).map {
            WrongState(
                "a \($0.name) with units", $0, ["wallet": "'coins'", "amount": "5", "balance": "55"], "CHECK")
        }

    private static let others = [
        WrongState("an entry that is changed", "UPDATE entry SET amount = 1000 WHERE kind = 'credit'", "never changed"),
        WrongState("an entry that is removed", "DELETE FROM entry WHERE sequence = 1", "never removed"),
        WrongState("all entries removed", "DELETE FROM entry", "never removed"),
        WrongState("a kind that does not exist", grant, ["kind": "'wish'"], "CHECK"),
        WrongState("an empty key", grant, ["key": "''"], "CHECK"),
        WrongState("the same twice", purchase, ["key": "'1'", "purchaseID": "'1'"], "UNIQUE"),
        WrongState("a purchase of nothing", purchase, ["quantity": "0"], "CHECK"),
        WrongState("a purchase of less than nothing", purchase, ["quantity": "-1"], "CHECK"),
        WrongState("a purchase under another key", purchase, ["key": "'8'"], "CHECK"),
        WrongState("a purchase shared in two ways", purchase, ["isFamilyShared": "2"], "CHECK"),
        WrongState("a term upgraded in two ways", term, ["isUpgraded": "2"], "CHECK"),
        WrongState("a text where a number belongs", purchase, ["quantity": "'many'"], "cannot store TEXT"),
        WrongState(
            "a purchase of what is taken back", purchase, ["key": "'3'", "purchaseID": "'3'"], "has taken the purchase"),
        WrongState("a credit under another key", credit, ["key": "'1'"]),
        WrongState("a credit without purchase", credit, ["key": "'9'", "purchaseID": "'9'"], "with its purchase"),
        WrongState("a credit of nothing", credit, ["amount": "0", "balance": "50"], "CHECK"),
        WrongState("a credit below zero", credit, ["amount": "-5", "balance": "45"], "CHECK"),
        WrongState("a credit with a policy that does not exist", credit, ["refundPolicy": "'mercy'"], "CHECK"),
        WrongState("a credit with a wrong balance", credit, ["balance": "56"], "is the sum"),
        WrongState(
            "a credit past 64 bits", credit,
            ["amount": "9223372036854775807", "balance": "-9223372036854775759"], "is the sum"),
        WrongState("a deposit of a product", deposit, ["productIdentifier": "'guide'"], "CHECK"),
        WrongState("a deposit below zero", deposit, ["amount": "-5", "balance": "45"], "CHECK"),
        WrongState("a deposit with a wrong balance", deposit, ["balance": "5"], "is the sum"),
        WrongState("the first deposit of a wallet with a wrong balance", deposit, ["wallet": "'gems'"], "is the sum"),
        WrongState("a debit of a product", debit, ["productIdentifier": "'guide'"], "CHECK"),
        WrongState("a debit of nothing", debit, ["amount": "0", "balance": "50"], "CHECK"),
        WrongState("a debit that adds", debit, ["balance": "100"], "is the sum"),
        WrongState("a debit of more than there is", debit, ["amount": "51", "balance": "-1"], "overdrawn"),
        WrongState("a receipt of a product", receipt, ["productIdentifier": "'guide'"], "CHECK"),
        WrongState(
            "a purchase from a receipt that is not there", purchase,
            ["signedData": "NULL", "receiptDigest": "'gone'"], "after the receipt"),
        WrongState(
            "an app purchase from a receipt that is not there", appPurchase,
            ["signedData": "NULL", "receiptDigest": "'gone'"], "after the receipt"),
        WrongState(
            "a purchase with two proofs", purchase, ["receiptDigest": "'known'"], "CHECK"),
        WrongState(
            "a consumable from a receipt", purchase,
            ["signedData": "NULL", "receiptDigest": "'known'", "productKind": "'consumable'"], "CHECK"),
        WrongState("content with a digest that is none", content, ["contentDigest": "'A5'"], "CHECK"),
        WrongState("a grant with a version of content", grant, ["contentVersion": "'1'"], "CHECK"),
        WrongState("a grant with a path of content", grant, ["contentPath": "'guide'"], "CHECK"),
        WrongState(
            "a grant with a digest of content", grant, ["contentDigest": "'" + String(repeating: "a", count: 64) + "'"],
            "CHECK"),
        WrongState("content from a receipt", content, ["receiptDigest": "'known'"], "CHECK"),
        WrongState("a grant from a receipt", grant, ["receiptDigest": "'known'"], "CHECK"),
        WrongState("an app purchase of a product", appPurchase, ["productIdentifier": "'guide'"], "CHECK"),
        WrongState(
            "a revocation that was signed before the one that it replaces", revocation,
            ["key": "'3 9'", "purchaseID": "'3'", "signedDate": "1790099999999"], "in its order"),
        WrongState(
            "a revocation that was signed before the reinstatement", revocation,
            ["key": "'5 1'", "purchaseID": "'5'", "signedDate": "1790100000001"], "in its order"),
        WrongState(
            "a revocation of more than the credit", clawback, ["amount": "51", "balance": "-1"], "no more than"),
        WrongState("a revocation that adds", clawback, ["balance": "100"], "is the sum"),
        WrongState("a revocation of zero units", clawback, ["amount": "0", "balance": "50"], "CHECK"),
        WrongState(
            "a revocation that returns more than was taken", clawback,
            ["key": "'4 1'", "purchaseID": "'4'", "amount": "-11", "balance": "61"], "no more than"),
        WrongState(
            "a revocation out of another wallet", clawback, ["wallet": "'hints'", "balance": "-40"], "no more than"),
        WrongState(
            "a revocation of units that nobody credited", clawback, ["key": "'2 1'", "purchaseID": "'2'"],
            "no more than"),
        WrongState(
            "a reinstatement without revocation", reinstatement,
            ["purchaseID": "'2'", "wallet": "NULL", "amount": "NULL", "balance": "NULL"], "in its order"),
        WrongState(
            "a reinstatement twice in a row", reinstatement,
            ["purchaseID": "'5'", "wallet": "NULL", "amount": "NULL", "balance": "NULL"], "in its order"),
        WrongState(
            "a reinstatement that was signed before the revocation", reinstatement,
            ["signedDate": "1790100000000"], "in its order"),
        WrongState(
            "a reinstatement of more than was taken", reinstatement, ["amount": "11", "balance": "61"], "what was taken"
        ),
        WrongState(
            "a reinstatement of less than was taken", reinstatement, ["amount": "9", "balance": "59"], "what was taken"),
        WrongState(
            "a reinstatement of nothing", reinstatement, ["wallet": "NULL", "amount": "NULL", "balance": "NULL"],
            "what was taken"),
        WrongState(
            "a reinstatement into another wallet", reinstatement, ["wallet": "'hints'", "balance": "20"],
            "what was taken"),
    ]

    /// Creates a ledger with entries of every kind, 50 coins and 10 hints.
    private func ledgerWithEverything() async throws -> SQLiteLedger {
        let ledger = try SQLiteLedger(url: file)
        _ = try await ledger.append(
            [
                .bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1"),
                .bought("coins", transaction: "2", kind: .consumable), .revoked("guide", transaction: "3"),
                .bought("coins", transaction: "4", kind: .consumable), .credited(10, transaction: "4"),
                .revoked("coins", transaction: "4"), .bought("map", transaction: "5"),
                .revoked("map", transaction: "5"),
                .credited("map", transaction: "5", signed: Date(timeIntervalSince1970: 1_790_150_000)),
                .deposited(10, in: "hints", token: "start"), .receipt("known"),
                .bought("atlas", transaction: "6").read(from: "known"),
            ], at: date)
        return ledger
    }

    @Test(arguments: incomplete + withUnits + others)
    func `constraints of the ledger database refuse invalid rows, updates and deletions`(_ state: WrongState)
        async throws
    {
        let ledger = try await ledgerWithEverything()
        let before = try await ledger.entries(after: 0)

        let raw = try DatabaseQueue(path: file.path())
        let error = #expect(throws: DatabaseError.self) { try raw.write { try $0.execute(sql: state.statement) } }
        #expect(error?.resultCode == .SQLITE_CONSTRAINT)
        #expect(error?.message?.contains(state.message) == true || state.message.isEmpty, "\(error?.message ?? "")")
        #expect(try await ledger.entries(after: 0) == before)
    }

    @Test func `constraints of the ledger database accept valid rows`() async throws {
        let ledger = try await ledgerWithEverything()
        let raw = try DatabaseQueue(path: file.path())
        for row in Self.rows {
            try await raw.writeWithoutTransaction { database in
                try database.inTransaction {
                    try database.execute(sql: row.insertion)
                    return .rollback
                }
            }
        }
        #expect(try await ledger.entries(after: 0).count == 13)
    }
}
