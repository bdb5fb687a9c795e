internal import Foundation
internal import VitrineCatalog
internal import VitrineCatalogLoading
internal import VitrineEntitlements
internal import VitrineEntitlementsSQLite
internal import VitrineFileSystem
internal import VitrineHostedContent
internal import VitrineSupport

/// Opening of the ledger in a storage directory. A damaged ledger is repaired. A ledger that cannot be repaired, or has
/// a format from before the first release of Vitrine, is set aside: its files are renamed, and a new ledger records the
/// loss. A loss is also recorded if a ledger that was opened earlier is missing or empty.
struct LedgerOpening {
    let home: Home
    let now: Date

    /// Opens the ledger. If nothing can be written to the storage directory, because the disk is full or read-only, the
    /// result is a read-only copy of the ledger in memory.
    func open() async throws(LedgerError) -> (ledger: SQLiteLedger, summary: LedgerSummary) {
        do throws(LedgerError) {
            return try await openForWriting()
        } catch {
            guard error.code == .unavailable, !isSettingAside, !damageMark.isSet else { throw error }
            do throws(LedgerError) {
                let copy = try SQLiteLedger(readOnlyCopyOf: home.ledger, because: error)
                return (copy, try await copy.summary())
            } catch let copyError {
                // The error of opening the ledger is named first, because the user can act on it.
                throw LedgerError(
                    code: .unavailable,
                    reason: copyError.reason == error.reason ? error.reason : "\(error.reason) (\(copyError.reason))")
            }
        }
    }

    private func openForWriting() async throws(LedgerError) -> (ledger: SQLiteLedger, summary: LedgerSummary) {
        let before = identity
        do {
            if !isSettingAside, !damageMark.isSet, try !isGone() { return try await openAsItIs() }
        } catch  where error.code == .damaged || isSettingAside || identity != before {
            // Another process may be moving the ledger at this moment: this can only be determined while holding the
            // lock.
        }
        let lock = try await lockHome()
        defer { withExtendedLifetime(lock) {} }
        do {
            try await finishSettingAside()
            if !damageMark.isSet, try !isGone() { return try await openAsItIs() }
        } catch  where error.code == .damaged {
            // Whether the ledger is damaged is determined below.
        }
        if try isGone() {
            try await setAside(because: "the ledger is missing or empty")
        } else if let reason = try await SQLiteLedger.damage(of: home.ledger) {
            try await setAside(because: reason, repairedTo: try await repairedCopy())
        }
        try storing { try damageMark.remove() }
        do {
            return try await openAsItIs()
        } catch  where error.code == .damaged {
            throw LedgerError(
                code: .unavailable, reason: "the ledger is intact, but cannot be read: \(error.reason)")
        }
    }

    private var damageMark: DamageMark { DamageMark(ledger: home.ledger) }

    /// Identity of the ledger's file, which shows whether another file has replaced it.
    private var identity: FileStatus.Identity? { (try? FolderTree<FileSystemError>.status(of: home.ledger))?.identity }

    /// Locks the storage directory. Only one process at a time may set a ledger aside, because another one could
    /// mistake the new ledger for the damaged one.
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
        let summary = try await ledger.summary()
        if !exists(home.ledgerMark.lastPathComponent) { try storing { try DurableFile.mark(home.ledgerMark) } }
        return (ledger, summary)
    }

    /// Returns `true` if the ledger is missing or empty although the storage directory had one: the marker file exists,
    /// or a folder that is only created by a process with a ledger.
    private func isGone() throws(LedgerError) -> Bool {
        guard [home.ledgerMark, home.hostedContent, home.cache].contains(where: { exists($0.lastPathComponent) })
        else { return false }
        return try storing {
            try FolderTree<FileSystemError>.status(of: home.ledger).map { $0.kind == .file && $0.length == 0 } ?? true
        }
    }

    // MARK: Setting aside

    private var plan: URL { file(SettingAsidePlan.fileName) }

    private var isSettingAside: Bool { exists(plan.lastPathComponent) }

    /// Writes a repaired copy of the ledger. A copy that an earlier process has not completed is replaced.
    ///
    /// - Returns: Name of the copy; `nil` if the ledger cannot be repaired.
    private func repairedCopy() async throws(LedgerError) -> String? {
        let copy = SettingAsidePlan.repairedName
        try storing { try removeDatabase(copy) }
        if try await SQLiteLedger.repair(home.ledger, to: file(copy)) { return copy }
        try storing { try removeDatabase(copy) }
        return nil
    }

    /// Removes a database. Its journals are removed first, because SQLite would apply them to another file of the same
    /// name.
    private func removeDatabase(_ name: String) throws {
        for suffix in ["-journal", "-wal", "-shm", ""] where exists(name + suffix) {
            try FileManager.default.removeItem(at: file(name + suffix))
        }
    }

    private func setAside(because reason: String, repairedTo copy: String? = nil) async throws(LedgerError) {
        let name = SettingAsidePlan.name(at: now, isTaken: exists)
        let plan = SettingAsidePlan(name: name, reason: reason, repaired: copy)
        try storing { try DurableFile.write(try JSONEncoder().encode(plan), to: self.plan) }
        try await carryOut(plan)
    }

    /// Resumes the work of a terminated process that was setting a ledger aside. A damaged plan is removed; the ledger
    /// is then opened as if there were no plan.
    private func finishSettingAside() async throws(LedgerError) {
        guard isSettingAside else { return }
        guard let plan = try storing({ try SettingAsidePlan.read(self.plan) }) else {
            return try storing {
                try FolderTree<FileSystemError>.remove(self.plan)
                try DurableFile.syncFolder(home.url)
            }
        }
        try await carryOut(plan)
    }

    /// Moves the damaged ledger away, and replaces it by the repaired copy or by a new ledger that records the loss.
    /// The ledger file itself is moved last: once it is missing, a file at its location is the new ledger.
    private func carryOut(_ plan: SettingAsidePlan) async throws(LedgerError) {
        if !exists(plan.name) { try storing { try moveLedger(to: plan.name) } }
        if let copy = plan.repaired {
            if exists(copy) { try storing { try replaceLedger(by: copy) } }
        } else {
            let loss = Fact.Loss(
                token: plan.name,
                reason: plan.reason + (exists(plan.name) ? "; the old file is kept in \(plan.name)" : ""))
            _ = try await SQLiteLedger(url: home.ledger).append([.loss(loss)], at: now)
        }
        try storing {
            DurableFile.removeAbandoned(of: self.plan)
            try FileManager.default.removeItem(at: self.plan)
            try DurableFile.syncFolder(home.url)
        }
    }

    /// Moves the repaired copy to the location of the ledger. An empty ledger that another process has created there
    /// without waiting for the lock is removed.
    private func replaceLedger(by copy: String) throws {
        let empty = "ledger.empty.sqlite"
        if exists(home.ledger.lastPathComponent) { try moveLedger(to: empty) }
        try FileManager.default.moveItem(at: file(copy), to: home.ledger)
        try removeDatabase(empty)
    }

    private func moveLedger(to name: String) throws {
        for suffix in ["-wal", "-shm", ""] where exists(home.ledger.lastPathComponent + suffix) {
            try move(home.ledger.lastPathComponent + suffix, to: name + suffix, mayBeGone: suffix != "")
        }
        try DurableFile.syncFolder(home.url)
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
                reason: "the files of the ledger cannot be used: \(BoundedFile.reason(for: error))")
        }
    }
}
