import Foundation
import GRDB
import Testing
import VitrineTestSupport

/// State of a home, read with SQL and as plain files, without Vitrine's code.
struct HomeAudit {
    /// Transaction of the store.
    struct Sale {
        let id: String
        let product: String
        let isConsumable: Bool
        let quantity: Int
        let isFinished: Bool
        let isRefunded: Bool

        /// Units that the purchase credits to the wallet `coins`; `nil` for a product without units.
        var units: Int? {
            if isConsumable { return quantity * (product.hasSuffix("coins500") ? 500 : 50) }
            return product == "club.bronze" ? 5 : nil
        }
    }

    /// Entry of the ledger.
    struct Entry {
        let sequence: Int
        let kind: String
        let key: String
        let purchaseID: String?
        let wallet: String?
        let amount: Int?
        let balance: Int?
        let reason: String?

        /// Change of the wallet's balance by this entry, in units.
        var change: Int { (["debit", "revocation"].contains(kind) ? -1 : 1) * (amount ?? 0) }
    }

    let sales: [Sale]
    /// Transactions that the store's timeline reports as created, including duplicates.
    let madeInTimeline: [String]
    let entries: [Entry]
    private let home: URL

    init(_ home: URL) throws {
        self.home = home
        let store = try DatabaseQueue(path: home.appending(path: "Store/store.sqlite").path())
        sales = try store.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT *, CAST(id AS TEXT) AS name, id NOT IN (SELECT purchase FROM unfinished) AS isFinished
                    FROM purchase WHERE isPending = 0 ORDER BY id
                    """)
        }.map { (row: Row) in
            Sale(
                id: row["name"], product: row["productIdentifier"], isConsumable: row["kind"] == "consumable",
                quantity: row["quantity"], isFinished: row["isFinished"], isRefunded: row["revocationDate"] != nil)
        }
        madeInTimeline = try store.read {
            try String.fetchAll(
                $0,
                sql: """
                    SELECT CAST(purchase AS TEXT) FROM event
                    WHERE kind IN ('purchased', 'upgraded', 'renewed', 'recovered') ORDER BY purchase
                    """)
        }
        let file = home.appending(path: "ledger.sqlite").path()
        // Struck early enough on a new device, a command has not made it yet.
        guard FileManager.default.fileExists(atPath: file) else {
            entries = []
            return
        }
        let rows = try DatabaseQueue(path: file).read { database -> [Row] in
            guard try database.tableExists("entry") else { return [] }
            return try Row.fetchAll(database, sql: "SELECT * FROM entry ORDER BY sequence")
        }
        entries = rows.map { row in
            Entry(
                sequence: row["sequence"], kind: row["kind"], key: row["key"], purchaseID: row["purchaseID"],
                wallet: row["wallet"], amount: row["amount"], balance: row["balance"], reason: row["reason"])
        }
    }

    // MARK: What is there

    var sold: Set<String> { Set(sales.map(\.id)) }
    var soldConsumables: Set<String> { Set(sales.filter(\.isConsumable).map(\.id)) }
    var finished: Set<String> { Set(sales.filter(\.isFinished).map(\.id)) }

    func entries(of kind: String) -> [Entry] { entries.filter { $0.kind == kind } }

    /// Balance of the wallet `coins` according to its entries.
    var balance: Int { entries.filter { $0.wallet == "coins" }.reduce(0) { $0 + $1.change } }

    /// Units that the store has sold for the wallet `coins`.
    var worth: Int {
        sales.filter { !$0.isRefunded }.reduce(0) { $0 + ($1.units ?? 0) }
    }

    /// Returns the names of the files to which a damaged ledger was moved.
    func setAside() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: home.path()).filter { $0.hasPrefix("ledger.damaged-") }
            .sorted()
    }

    // MARK: What must not be

    /// Returns descriptions of the rules that the home violates after a launch.
    ///
    /// - Parameter forgotten: Finished transactions that the ledger may lack, because it replaced an earlier one.
    func violations(forgotten: Set<String> = []) -> [String] {
        walletViolations + revocationViolations
            + sales.flatMap { violations(of: $0, mayBeForgotten: forgotten.contains($0.id)) }
            + entries(of: "purchase").filter { !sold.contains($0.key) }.map { "\($0.key) was never sold" }
    }

    /// Returns the transactions that were finished after an earlier state but that the ledger has not recorded. There
    /// must never be any, even after a process was killed.
    func finishedWithoutRecord(since before: Set<String>) -> Set<String> {
        let credited = Set(sales.filter { $0.units != nil }.map(\.id))
        return finished.subtracting(before).filter { id in
            let kinds = entries.filter { ($0.purchaseID ?? $0.key) == id }.map(\.kind)
            return !kinds.contains("revocation")
                && !(kinds.contains("purchase") && (kinds.contains("credit") || !credited.contains(id)))
        }
    }

    /// Violations of the rules that a purchase is credited once, and that a balance is the sum of its changes.
    private var walletViolations: [String] {
        let credits = Dictionary(grouping: entries(of: "credit"), by: { $0.purchaseID ?? "nothing" })
        var violations = credits.filter { $1.count > 1 }.map { "\($0) is credited \($1.count) times" }
        var balances: [String: Int] = [:]
        for entry in entries {
            guard let wallet = entry.wallet else { continue }
            balances[wallet, default: 0] += entry.change
            if balances[wallet] != entry.balance || balances[wallet, default: 0] < 0 {
                violations.append(
                    "entry \(entry.sequence) has the balance \(entry.balance ?? -1) of \(balances[wallet] ?? 0)")
            }
        }
        return violations
    }

    /// Returns violations of the rules that a sold transaction is recorded, credited and finished, and that a refunded
    /// one is revoked.
    private func violations(of sale: Sale, mayBeForgotten: Bool) -> [String] {
        var violations = sale.isFinished ? [] : ["\(sale.id) is not finished"]
        let isTakenBack = revocations(of: sale.id).last?.kind == "revocation"
        if isTakenBack != sale.isRefunded, !(mayBeForgotten && !isTakenBack) {
            violations.append("\(sale.id) is \(isTakenBack ? "" : "not ")taken back")
        }
        guard !sale.isRefunded, !mayBeForgotten else { return violations }
        if !entries(of: "purchase").contains(where: { $0.key == sale.id }) {
            violations.append("\(sale.id) is not recorded")
        }
        let credited = entries(of: "credit").first { $0.purchaseID == sale.id }?.amount
        if credited != sale.units { violations.append("\(sale.id) is credited with \(credited ?? 0)") }
        return violations
    }

    /// Violations of the rules that a purchase is revoked and then reinstated at most once, and only with its own
    /// units.
    private var revocationViolations: [String] {
        Set(entries.compactMap(\.purchaseID)).sorted().flatMap { id -> [String] in
            let revocations = revocations(of: id)
            var violations: [String] = []
            if !["", "revocation", "revocation reinstatement"].contains(revocations.map(\.kind).joined(separator: " "))
            {
                violations.append("\(id) had \(revocations.map(\.kind))")
            }
            let credit = entries(of: "credit").first { $0.purchaseID == id }?.amount ?? 0
            if revocations.contains(where: { ($0.amount ?? 0) > credit }) || Set(revocations.map(\.amount)).count > 1 {
                violations.append("\(id) has other units taken back than it had credited")
            }
            return violations
        }
    }

    private func revocations(of id: String) -> [Entry] {
        entries.filter { $0.purchaseID == id && ["revocation", "reinstatement"].contains($0.kind) }
    }

    // MARK: Content

    /// Returns the guides whose content is installed. Installed content must be complete.
    func installedGuides() throws -> Set<String> {
        let guides = home.appending(path: "HostedContent/guides")
        guard FileManager.default.fileExists(atPath: guides.path()) else { return [] }
        let names = try FileManager.default.contentsOfDirectory(atPath: guides.path())
        for name in names {
            let source = Repository.samplePackages.appending(path: "\(name.capitalized)/Contents")
            var files = try Self.files(in: guides.appending(path: name))
            for record in [".ContentInfo.plist", ".ContentManifest.plist"] {
                #expect(files.removeValue(forKey: record) != nil)
            }
            #expect(try files == Self.files(in: source), "\(name)")
        }
        return Set(names)
    }

    /// Returns temporary files of an installation, which must not remain.
    func leftovers() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: home.path())
            .filter { name in
                [".", "ledger.setting-aside", "ledger.repaired", "ledger.empty"].contains { name.hasPrefix($0) }
            }
        let root = home.appending(path: "HostedContent")
        guard FileManager.default.fileExists(atPath: root.path()) else { return names }
        let inside = try FileManager.default.contentsOfDirectory(atPath: root.path())
        return names + inside.filter { !["CACHEDIR.TAG", "guides"].contains($0) }
    }

    private static func files(in folder: URL) throws -> [String: Data] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path()).reduce(into: [:]) { files, path in
            let file = folder.appending(path: path)
            if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                files[path] = try Data(contentsOf: file)
            }
        }
    }
}
