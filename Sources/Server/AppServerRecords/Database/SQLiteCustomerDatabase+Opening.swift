package import Foundation
internal import GRDB
internal import VitrineFileSystem
internal import VitrineSupport

extension SQLiteCustomerDatabase {
    /// Application ID in the header of the SQLite file, which identifies Vitrine's databases: "VTCU".
    private static let applicationID: Int64 = 0x5654_4355

    /// Maximum time in seconds for which a connection waits while another program locks the file.
    private static let lockTimeout = 10.0

    static var writing: Configuration {
        var configuration = Configuration()
        configuration.label = "Vitrine customers"
        configuration.busyMode = .timeout(lockTimeout)
        configuration.foreignKeysEnabled = true
        configuration.prepareDatabase { database in
            // On Apple's platforms, a normal sync does not reach the disk.
            try database.execute(
                sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1")
            // Each caller of a group commit has a savepoint. SQLite copies the pages that it changes, by default to a
            // file, with more calls of the system than the commit itself needs.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
            // A page that several commits change is written to the database once. A log of 1,000 pages, the default,
            // would be moved to the database after every second commit.
            try database.execute(sql: "PRAGMA wal_autocheckpoint = \(pagesOfLog)")
        }
        return configuration
    }

    /// Number of pages of 4 KiB in the write-ahead log after which they are moved to the database.
    private static let pagesOfLog = 4_000

    static var reading: Configuration {
        var configuration = Configuration()
        configuration.label = "Vitrine customers, reading"
        configuration.busyMode = .timeout(lockTimeout)
        configuration.readonly = true
        return configuration
    }

    /// Creates the file, and its folder within an existing one, if they do not exist, so that they survive a power
    /// failure. Returns a lock on the folder.
    static func prepare(_ file: URL) throws(DatabaseError) -> FolderLock {
        do throws(FileSystemError) {
            let folder = file.deletingLastPathComponent().resolvingSymlinksInPath()
            try FolderTree<FileSystemError>.makeFolder(folder)
            try DurableFile.syncFolder(folder.deletingLastPathComponent())
            guard let lock = try FolderLock.ifFree(folder) else {
                throw refusal(folder, "another server uses this folder: stop it, or name another folder")
            }
            // Only the user account of the server may read the customers' data.
            do throws(FileSystemError) {
                try DurableFile.create(Data(), at: file, permissions: 0o600)
            } catch {
                guard error.isAboutExisting else { throw error }
            }
            guard FileStatus(file)?.isRegularFile == true else { throw refusal(file, "it is not a file") }
            return lock
        } catch {
            let isRefusal = error.kind != .system
            throw DatabaseError(code: isRefusal ? .refused : .unavailable, reason: error.description)
        }
    }

    /// Checks that a database can be used, and reads from it. The database is neither created nor changed, and its folder is
    /// not locked, so that a server can start or run meanwhile.
    ///
    /// - Throws: ``DatabaseError``: `refused` if the file was not created by Vitrine, `unavailable` if it cannot be opened or
    ///   written, or its folder cannot be written.
    package static func check(file: URL) async throws(DatabaseError) {
        try checkWritable(file.deletingLastPathComponent().resolvingSymlinksInPath())
        guard let status = FileStatus(file), status.length > 0 else { return }
        let path = file.path(percentEncoded: false)
        do {
            guard status.isRegularFile else { throw DatabaseError(code: .refused, reason: "it is not a file") }
            guard access(path, W_OK) == 0 else {
                throw DatabaseError(code: .unavailable, reason: "the file cannot be written")
            }
            let connection = try DatabaseQueue(path: path, configuration: reading)
            _ = try await connection.read(isClaimed)
            try connection.close()
        } catch {
            let error = DatabaseError(sqlite: error)
            throw DatabaseError(code: error.code, reason: "\(file.relativePath): \(error.reason)")
        }
    }

    /// Checks that a folder can be written, or created in the nearest one that exists.
    private static func checkWritable(_ folder: URL) throws(DatabaseError) {
        var folder = folder.absoluteURL
        while FileStatus(folder) == nil, folder.pathComponents.count > 1 { folder.deleteLastPathComponent() }
        guard FileStatus(folder)?.kind == .folder, access(folder.path(percentEncoded: false), W_OK) == 0 else {
            throw DatabaseError(
                code: .unavailable, reason: "\(folder.path(percentEncoded: false)): the folder cannot be written")
        }
    }

    private static func refusal(_ url: URL, _ reason: String) -> FileSystemError {
        FileSystemError(.unusable, at: url, reason: reason)
    }

    /// Checks that a database is new or one of Vitrine's, and marks it with the application ID.
    static func claim(_ database: Database) throws {
        let mode = try SQLiteStatement(SQLStatement("PRAGMA journal_mode = WAL"), in: database).rows().first?.first
        guard mode == .text("wal") else {
            throw DatabaseError(code: .unavailable, reason: "the file system cannot hold SQLite's write-ahead log")
        }
        if try !isClaimed(database) { try database.run("PRAGMA application_id = \(applicationID)") }
    }

    /// Returns `true` for a database that is marked with the application ID, and `false` for a new one.
    ///
    /// - Throws: ``DatabaseError`` `refused` for a database of another program.
    private static func isClaimed(_ database: Database) throws -> Bool {
        if try integer("PRAGMA application_id", in: database) == applicationID { return true }
        guard try integer("SELECT COUNT(*) FROM sqlite_schema", in: database) == 0 else {
            throw DatabaseError(code: .refused, reason: "it is a database of another program")
        }
        return false
    }

    static func migrate(_ database: Database, _ migrations: [SQLMigration]) throws {
        try database.committing {
            try database.run("CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY) STRICT")
        }
        let last = try integer("SELECT MAX(number) FROM migration", in: database)
        for migration in try migrations.missing(after: last ?? 0) {
            try database.committing {
                for template in migration.statements {
                    if let sql = SQLDialect.sqlite.statement(template) { try database.run(sql) }
                }
                try database.run("INSERT INTO migration (number) VALUES (\(migration.number))")
            }
        }
    }

    private static func integer(_ sql: String, in database: Database) throws -> Int64? {
        try SQLiteStatement(SQLStatement(sql), in: database).rows().first?.first?.integer
    }
}

extension DatabaseError {
    /// Converts an error of SQLite. SQLite's messages name tables and columns, but contain no values.
    init(sqlite error: any Error) {
        guard let error = error as? GRDB.DatabaseError else {
            self = error as? Self ?? Self(code: .unavailable, reason: BoundedFile.reason(for: error))
            return
        }
        let reason = DatabaseReason.reason(forCode: error.resultCode.rawValue)
        let message = error.message ?? reason
        switch error.resultCode {
        case .SQLITE_CONSTRAINT: self.init(code: .conflict, reason: "a constraint refuses the change: \(message)")
        case .SQLITE_MISMATCH: self.init(code: .conflict, reason: "a value does not have the type of its column")
        case .SQLITE_NOTADB: self.init(code: .refused, reason: reason)
        case .SQLITE_ERROR: self.init(code: .unavailable, reason: "the database refuses a statement: \(message)")
        default: self.init(code: .unavailable, reason: "the database cannot be used: \(reason)")
        }
    }
}
