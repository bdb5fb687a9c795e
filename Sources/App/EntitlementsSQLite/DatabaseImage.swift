internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import VitrineEntitlements
internal import VitrineFileSystem
internal import VitrineSupport

/// Copy of a SQLite database in memory, with the pages in its write-ahead log. It is used if SQLite cannot open the
/// file because the disk is full or read-only, and no file can be written beside it.
///
/// The format is described at <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>. Frames of the log are
/// applied up to the last commit before the first wrong checksum, as in SQLite's own recovery.
struct DatabaseImage {
    private var bytes: [UInt8]
    private let pageSize: Int

    /// Maximum size of the database file, and of its write-ahead log, in bytes.
    private static let sizeLimit = 256 << 20
    private static let headerLength = 100

    /// Reads a database and its write-ahead log.
    ///
    /// - Returns: `nil` if one of the files is too large to be read into memory.
    /// - Throws: `FileSystemError` if a file cannot be read, `LedgerError` `damaged` if it is not a database.
    init?(of url: URL) throws {
        bytes = try BoundedFile.bytes(url, limit: Self.sizeLimit)
        guard bytes.count <= Self.sizeLimit else { return nil }
        guard bytes.count >= Self.headerLength else { throw Self.noDatabase }
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        pageSize = size == 1 ? 65_536 : size
        guard pageSize >= 512, pageSize & (pageSize - 1) == 0 else {
            throw Self.noDatabase
        }
        do throws(FileSystemError) {
            let log = url.deletingLastPathComponent().appending(component: url.lastPathComponent + "-wal")
            let frames = try BoundedFile.bytes(log, limit: Self.sizeLimit)
            guard frames.count <= Self.sizeLimit else { return nil }
            apply(WriteAheadLog(frames))
        } catch {
            guard error.isMissing else { throw error }
        }
        // The image has no write-ahead log any more.
        (bytes[18], bytes[19]) = (1, 1)
    }

    private static let noDatabase = LedgerError(
        code: .damaged, reason: "the ledger is damaged: its file is not a database")

    private mutating func apply(_ log: WriteAheadLog?) {
        guard let log, log.pageSize == pageSize else { return }
        for (page, content) in log.pages {
            let start = (page - 1) * pageSize
            if bytes.count < start + pageSize {
                bytes += repeatElement(0, count: start + pageSize - bytes.count)
            }
            bytes.replaceSubrange(start..<start + pageSize, with: content)
        }
        if let count = log.pageCount, bytes.count > count * pageSize {
            bytes.removeLast(bytes.count - count * pageSize)
        }
    }

    /// Opens the database image in memory as a read-only database.
    func open() throws -> DatabaseQueue {
        let queue = try DatabaseQueue()
        try queue.writeWithoutTransaction { database in
            guard let memory = sqlite3_malloc64(UInt64(bytes.count)) else {
                throw DatabaseError(resultCode: .SQLITE_NOMEM)
            }
            UnsafeMutableRawBufferPointer(start: memory, count: bytes.count).copyBytes(from: bytes)
            let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY)
            let code = sqlite3_deserialize(
                database.sqliteConnection, "main", memory.assumingMemoryBound(to: UInt8.self), Int64(bytes.count),
                Int64(bytes.count), flags)
            guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        }
        return queue
    }
}

/// Committed frames of a write-ahead log.
private struct WriteAheadLog {
    let pageSize: Int
    /// Latest bytes of each page of the database, by page number.
    private(set) var pages: [Int: ArraySlice<UInt8>] = [:]
    /// Number of pages of the database after the last commit; `nil` if the log contains no commit.
    private(set) var pageCount: Int?

    private static let headerLength = 32
    private static let frameHeaderLength = 24
    private static let magic: UInt32 = 0x377f_0682

    /// Reads the committed frames of a write-ahead log.
    ///
    /// - Returns: `nil` for bytes that do not begin with the header of a write-ahead log.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerLength else { return nil }
        let integers = BigEndianIntegers(bytes: bytes)
        guard integers[0] & ~1 == Self.magic else { return nil }
        pageSize = Int(integers[8])
        guard (512...65_536).contains(pageSize) else { return nil }
        let isBigEndian = integers[0] & 1 == 1
        var sum = Checksum()
        sum.add(bytes[0..<24], isBigEndian: isBigEndian)
        guard sum == Checksum(integers[24], integers[28]) else { return nil }
        var uncommitted: [Int: ArraySlice<UInt8>] = [:]
        var start = Self.headerLength
        while start + Self.frameHeaderLength + pageSize <= bytes.count {
            let content = bytes[start + Self.frameHeaderLength..<start + Self.frameHeaderLength + pageSize]
            sum.add(bytes[start..<start + 8], isBigEndian: isBigEndian)
            sum.add(content, isBigEndian: isBigEndian)
            let page = Int(integers[start])
            guard page > 0, integers[start + 8] == integers[16], integers[start + 12] == integers[20],
                sum == Checksum(integers[start + 16], integers[start + 20])
            else { break }
            uncommitted[page] = content
            if integers[start + 4] > 0 {
                pages.merge(uncommitted) { $1 }
                uncommitted = [:]
                pageCount = Int(integers[start + 4])
            }
            start += Self.frameHeaderLength + pageSize
        }
    }

    /// Bytes that are read as numbers of 32 bits in big-endian order.
    private struct BigEndianIntegers {
        let bytes: [UInt8]

        subscript(offset: Int) -> UInt32 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// Checksum of SQLite's write-ahead log: two sums over numbers of 32 bits.
    private struct Checksum: Equatable {
        private var first: UInt32 = 0
        private var second: UInt32 = 0

        init() {}

        init(_ first: UInt32, _ second: UInt32) { (self.first, self.second) = (first, second) }

        mutating func add(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
            func word(_ offset: Int) -> UInt32 {
                let word = bytes[offset..<offset + 4]
                return isBigEndian
                    ? word.reduce(0) { $0 << 8 | UInt32($1) } : word.reversed().reduce(0) { $0 << 8 | UInt32($1) }
            }
            for offset in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
                first &+= word(offset) &+ second
                second &+= word(offset + 4) &+ first
            }
        }
    }
}
