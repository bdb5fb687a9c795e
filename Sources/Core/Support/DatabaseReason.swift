/// Descriptions of SQLite errors by their result codes. The messages of SQLite and GRDB are not used, because they are
/// written for developers and contain SQL.
package enum DatabaseReason {
    /// Returns the description of a primary result code (<https://www.sqlite.org/rescode.html>), as the rest of a
    /// sentence.
    package static func reason(forCode code: Int32) -> String {
        reasons[code] ?? "the database reports the error code \(code)"
    }

    private static let reasons: [Int32: String] = [
        3: "access is not permitted",
        5: "another process has locked it for too long",
        6: "another connection has locked it",
        7: "there is not enough memory",
        8: "it is read-only",
        10: "the disk cannot be read or written",
        11: "its content is damaged",
        13: "the disk is full",
        14: "the file cannot be opened",
        18: "a value to be written is too large",
        19: "a value to be written contradicts other data in the database",
        22: "the file would be larger than is allowed",
        23: "access is not permitted",
        26: "the file is not a database",
    ]
}
