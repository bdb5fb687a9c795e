import Foundation
import GRDB

/// Forger who changes a ledger and recomputes its checksums, as `EntryRow` and `EntryTable` describe them.
enum LedgerForger {
    static func writeChecksums(in database: Database) throws {
        var (ownership, wallets): (Int64, [String: Int64]) = (0, [:])
        for row in try Row.fetchAll(database, sql: "SELECT * FROM entry ORDER BY sequence") {
            let checksum = checksum(of: row)
            let kind: String = row["kind"]
            let isConsumable = row["productKind"] as String? == "consumable"
            let isOfUnits = ["credit", "deposit", "debit", "content", "adjustment", "lease", "release"].contains(kind)
            if !isOfUnits, !isConsumable { ownership &+= checksum }
            if let wallet = row["wallet"] as String? { wallets[wallet] = checksum }
            try database.execute(
                sql: "UPDATE entry SET checksum = ?, summaryChecksum = ? WHERE sequence = ?",
                arguments: [checksum, wallets.values.reduce(ownership, &+), row["sequence"] as Int64])
        }
    }

    /// Returns the FNV-1a hash of the columns in their order. Each column is a byte for its type, the length of a text,
    /// and its value.
    private static func checksum(of row: Row) -> Int64 {
        var bytes: [UInt8] = []
        func add(_ integer: Int64) {
            bytes.append(1)
            withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) }
        }
        for (name, value) in row where !["checksum", "summaryChecksum", "signedData"].contains(name) {
            switch value.storage {
            case .int64(let integer): add(integer)
            case .string(let text):
                bytes.append(2)
                add(Int64(text.utf8.count))
                bytes.append(contentsOf: text.utf8)
            default: bytes.append(0)
            }
        }
        let sum = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return Int64(bitPattern: sum)
    }
}
