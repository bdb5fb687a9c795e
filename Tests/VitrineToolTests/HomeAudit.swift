import Foundation
import GRDB
import TestSupport
import Testing

/// What lies in a home, read from outside: with SQL and as plain files.
struct HomeAudit {
    /// The store's transactions.
    let sold: Set<String>
    let soldConsumables: [String]
    let finished: Set<String>
    let refunded: Set<String>
    /// The keys of the ledger's entries.
    let purchases: Set<String>
    let revocations: Set<String>
    let credits: [(key: String, amount: Int)]
    /// What the wallet of coins holds.
    let balance: Int
    private let home: URL

    init(_ home: URL) throws {
        self.home = home
        let store = try DatabaseQueue(path: home.appending(path: "Store/store.sqlite").path())
        let rows = try store.read { database in
            try Row.fetchAll(
                database,
                sql: "SELECT CAST(id AS TEXT) AS id, kind, isFinished, revocationDate FROM purchase ORDER BY id")
        }
        sold = Set(rows.map { $0["id"] })
        soldConsumables = rows.filter { $0["kind"] == "consumable" }.map { $0["id"] }
        finished = Set(rows.filter { $0["isFinished"] == true }.map { $0["id"] })
        refunded = Set(rows.filter { $0["revocationDate"] != nil }.map { $0["id"] })

        let file = home.appending(path: "ledger.sqlite").path()
        // Struck early enough on a new device, a command has not made it yet.
        var entries: [Row] = []
        if FileManager.default.fileExists(atPath: file) {
            entries = try DatabaseQueue(path: file).read { database in
                guard try database.tableExists("entry") else { return [] }
                return try Row.fetchAll(
                    database, sql: "SELECT kind, key, wallet, amount FROM entry ORDER BY sequence")
            }
        }
        func keys(_ kind: String) -> [String] { entries.filter { $0["kind"] == kind }.map { $0["key"] } }
        purchases = Set(keys("purchase"))
        revocations = Set(keys("revocation"))
        credits = entries.filter { $0["kind"] == "credit" }.map { ($0["key"], $0["amount"]) }
        balance = entries.filter { $0["wallet"] as String? == "coins" }
            .reduce(0) { $0 + ($1["kind"] == "credit" ? 1 : -1) * ($1["amount"] as Int) }
    }

    /// The guides whose content is there. What is there has to be whole.
    func installedGuides() throws -> Set<String> {
        let guides = home.appending(path: "HostedContent/guides")
        guard FileManager.default.fileExists(atPath: guides.path()) else { return [] }
        let names = try FileManager.default.contentsOfDirectory(atPath: guides.path())
        for name in names {
            let source = Repository.samplePackages.appending(path: "\(name.capitalized)/Contents")
            var files = try Self.files(in: guides.appending(path: name))
            #expect(files.removeValue(forKey: ".ContentInfo.plist") != nil)
            #expect(try files == Self.files(in: source), "\(name)")
        }
        return Set(names)
    }

    /// What an installation makes for itself and has to take away again.
    func leftovers() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: home.path())
        let root = home.appending(path: "HostedContent")
        guard names.contains("HostedContent") else { return names.filter { $0.hasPrefix(".") } }
        let inside = try FileManager.default.contentsOfDirectory(atPath: root.path())
        return names.filter { $0.hasPrefix(".") } + inside.filter { !["CACHEDIR.TAG", "guides"].contains($0) }
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
