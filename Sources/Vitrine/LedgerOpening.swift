internal import CatalogLoading
internal import Entitlements
internal import EntitlementsSQLite
internal import FileSystem
internal import Foundation
internal import HostedContent
internal import ProductCatalog

/// Opening of the ledger in a storage directory. A ledger that can no longer be read is set aside as a whole, and
/// replaced by a new one that records the loss.
struct LedgerOpening {
    let home: Home
    let now: Date

    func open() async throws(LedgerError) -> (ledger: SQLiteLedger, summary: LedgerSummary) {
        let number = fileNumber
        do {
            if !isSettingAside { return try await openAsItIs() }
        } catch  where error.code == .damaged || isSettingAside || fileNumber != number {
            // Another process may be moving the ledger at this moment: this can only be determined while holding the
            // lock.
        }
        let lock = try await lockHome()
        defer { withExtendedLifetime(lock) {} }
        do {
            try await finishSettingAside()
            return try await openAsItIs()
        } catch  where error.code == .damaged && isReallyDamaged() {
            try await setAside(because: error.reason)
            return try await openAsItIs()
        }
    }

    /// File number of the ledger's file, by which a file that replaces it is recognized.
    private var fileNumber: Int? {
        let path = home.ledger.path(percentEncoded: false)
        return (try? FileManager.default.attributesOfItem(atPath: path))?[.systemFileNumber] as? Int
    }

    /// Locks the storage directory. Only one process may set a ledger aside: others would mistake the new one for the
    /// damaged one.
    private func lockHome() async throws(LedgerError) -> FolderLock {
        while true {
            do {
                if let lock = try FolderLock.ifFree(home.url) { return lock }
                try await Task.sleep(for: .milliseconds(10))
            } catch {
                throw LedgerError(
                    code: .unavailable,
                    reason: "the storage directory cannot be locked: \(BoundedFile.reason(for: error))")
            }
        }
    }

    private func openAsItIs() async throws(LedgerError) -> (ledger: SQLiteLedger, summary: LedgerSummary) {
        let ledger = try SQLiteLedger(url: home.ledger)
        return (ledger, try await ledger.summary())
    }

    /// Returns `true` if the ledger's file can be read completely, and therefore is damaged. SQLite also reports a file
    /// as damaged if the file could temporarily not be read.
    private func isReallyDamaged() -> Bool {
        do {
            let file = try FileHandle(forReadingFrom: home.ledger)
            defer { try? file.close() }
            while let block = try file.read(upToCount: 1 << 20), !block.isEmpty {}
            return true
        } catch {
            return false
        }
    }

    // MARK: Setting aside

    /// Plan for setting a ledger aside, written before any file is moved, and removed once the new ledger has recorded
    /// the loss.
    private struct Plan: Codable {
        let name: String
        let reason: String
    }

    private var plan: URL { home.url.appending(path: "ledger.setting-aside.json", directoryHint: .notDirectory) }

    private var isSettingAside: Bool { exists(plan.lastPathComponent) }

    private func setAside(because reason: String) async throws(LedgerError) {
        let stamp = now.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
        var name = "ledger.damaged-\(stamp).sqlite"
        var number = 2
        while exists(name) {
            name = "ledger.damaged-\(stamp)-\(number).sqlite"
            number += 1
        }
        let plan = Plan(name: name, reason: reason)
        try storing { try DurableFile.write(try JSONEncoder().encode(plan), to: self.plan) }
        try await carryOut(plan)
    }

    /// Resumes setting a ledger aside after the process was stopped.
    private func finishSettingAside() async throws(LedgerError) {
        guard isSettingAside else { return }
        let plan = try storing {
            try JSONDecoder().decode(Plan.self, from: try BoundedFile.read(self.plan, limit: 64 * 1024))
        }
        try await carryOut(plan)
    }

    /// Moves the damaged ledger and records its loss. The ledger file itself is moved last: once it is missing, a file
    /// at its location is the new ledger.
    private func carryOut(_ plan: Plan) async throws(LedgerError) {
        if !exists(plan.name) {
            for suffix in ["-wal", "-shm", ""] where exists(home.ledger.lastPathComponent + suffix) {
                try storing {
                    try move(home.ledger.lastPathComponent + suffix, to: plan.name + suffix, mayBeGone: suffix != "")
                }
            }
            try storing { try DurableFile.syncFolder(home.url) }
        }
        let loss = Fact.Loss(
            token: plan.name, reason: "\(plan.reason); the damaged ledger is kept in \(plan.name)")
        _ = try await SQLiteLedger(url: home.ledger).append([.loss(loss)], at: now)
        try storing {
            try removeAbandonedPlans()
            try FileManager.default.removeItem(at: self.plan)
            try DurableFile.syncFolder(home.url)
        }
    }

    /// Removes temporary files of plans, left by processes that were stopped while they wrote them.
    private func removeAbandonedPlans() throws {
        let prefix = ".\(plan.lastPathComponent)."
        for name in try FileManager.default.contentsOfDirectory(atPath: home.url.path(percentEncoded: false))
        where name.hasPrefix(prefix) {
            try FileManager.default.removeItem(at: file(name))
        }
    }

    /// Moves a file of the damaged ledger.
    ///
    /// - Parameter mayBeGone: `true` if the file may be missing: a process that has the ledger open removes it when it
    ///   ends.
    private func move(_ name: String, to newName: String, mayBeGone: Bool) throws {
        do {
            try FileManager.default.moveItem(at: file(name), to: file(newName))
        } catch  where mayBeGone && !exists(name) {
            // Data of the removed file is in the ledger itself now.
        }
    }

    private func file(_ name: String) -> URL { home.url.appending(path: name, directoryHint: .notDirectory) }

    private func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: file(name).path(percentEncoded: false))
    }

    private func storing<Value>(_ body: () throws -> Value) throws(LedgerError) -> Value {
        do {
            return try body()
        } catch {
            throw LedgerError(
                code: .unavailable,
                reason:
                    "the damaged ledger cannot be moved out of the way of a new one: \(BoundedFile.reason(for: error))")
        }
    }
}

/// Access to the numbers that a ledger stores, for code that does not depend on ledgers.
struct LedgerNumbers: MonotonicCounters {
    let ledger: any Ledger

    func advance(_ name: String, to value: Int64) async throws -> Int64 { try await ledger.advance(name, to: value) }

    func highest(_ name: String) async throws -> Int64? { try await ledger.highest(name) }
}
