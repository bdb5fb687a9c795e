package import Foundation

extension Data {
    /// Returns the bytes of a ledger file with the marks of a version of Vitrine before the first release: the version
    /// of the tables and the application ID in the [header of the
    /// file](https://www.sqlite.org/fileformat2.html#the_database_header).
    package func markedAsUnreleased(version: UInt8 = 9) -> Data {
        var data = self
        data.replaceSubrange(60..<64, with: [0, 0, 0, version])
        data.replaceSubrange(68..<72, with: version < 3 ? [0, 0, 0, 0] : Array("VTRN".utf8))
        return data
    }
}
