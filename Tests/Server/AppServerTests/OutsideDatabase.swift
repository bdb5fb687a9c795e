import Foundation
import VitrineTestSupport

/// Database of the app's own server, read without Vitrine: with Python's module for SQLite, and with `psql`.
struct OutsideDatabase {
    /// Key and value of the server's configuration.
    let setting: String
    private let query: (String) throws -> String

    /// Creates a database; that of SQLite is in the folder `data`.
    init(_ kind: EndToEndTests.Database, in folder: TemporaryFolder) throws {
        switch kind {
        case .sqlite: self.init(sqliteIn: folder["data"])
        case .postgreSQL:
            let server = try PostgreSQLServer.shared()
            self.init(server, connection: try server.makeDatabase())
        }
    }

    init(sqliteIn data: URL) {
        setting = "<key>data</key><string>\(data.path(percentEncoded: false))</string>"
        query = { sql in
            let script = """
                import sqlite3, sys
                for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row, sep="|")
                """
            let file = data.appending(path: "customers.sqlite").path(percentEncoded: false)
            return try PeerTool.python.run("-c", script, file, sql).output
        }
    }

    init(_ server: PostgreSQLServer, connection: String) {
        setting = "<key>postgresql</key><string>\(connection)</string>"
        query = { try server.query($0, in: connection) }
    }

    /// Returns the rows that a statement selects, with `|` between the columns.
    func rows(_ sql: String) throws -> [String] {
        try query(sql).split(whereSeparator: \.isNewline).map(String.init)
    }
}
