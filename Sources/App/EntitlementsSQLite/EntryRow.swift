internal import Foundation
internal import GRDB
internal import VitrineEntitlements
internal import VitrineSupport

/// Checksum of the columns of an entry: FNV-1a in 64 bits, after
/// [draft-eastlake-fnv](https://datatracker.ietf.org/doc/html/draft-eastlake-fnv). Values that differ in one byte
/// always have different checksums.
struct Checksum {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    var value: Int64 { Int64(bitPattern: state) }

    private mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }

    private mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { add(byte) } }

    mutating func add(_ integer: Int64?) {
        guard let integer else { return add(0 as UInt8) }
        add(1 as UInt8)
        withUnsafeBytes(of: integer.littleEndian) { add($0) }
    }

    mutating func add(text: UnsafeBufferPointer<UInt8>?, of column: EntryColumn) {
        guard column.isChecked else { return }
        if let text { add(text: text) } else { add(0 as UInt8) }
    }

    mutating func add(text: UnsafeBufferPointer<UInt8>) {
        add(2 as UInt8)
        add(Int64(text.count))
        add(text)
    }

    mutating func add(_ text: String?, of column: EntryColumn) {
        guard var text else { return add(text: nil, of: column) }
        text.withUTF8 { add(text: $0, of: column) }
    }

    mutating func add(_ text: String) {
        var text = text
        text.withUTF8 { add(text: $0) }
    }

    mutating func add(_ data: Data) {
        data.withUnsafeBytes { bytes in bytes.withMemoryRebound(to: UInt8.self) { add(text: $0) } }
    }
}

/// Row of the table of entries. Its first columns are computed by the ledger (`sequence`, `balance`, `checksum` and
/// `summaryChecksum`); the columns of ``EntryFields/visitColumns(_:)`` follow.
struct EntryRow {
    var fields: EntryFields
    /// Balance of the wallet after the entry; `nil` for an entry that changes no wallet.
    var balance: Int64?
    /// Checksum of the sequence number, the balance, and all columns but the signed data, which the store's signature
    /// protects.
    let checksum: Int64

    /// Names of the columns that the ledger itself computes.
    static let computed = ["sequence", "balance", "checksum", "summaryChecksum"]
    /// Columns of the table of entries, without those that the ledger itself computes, such as the checksum.
    static let columns: [(column: EntryColumn, type: String)] = {
        var (fields, collector) = (EntryFields(kind: "", key: "", recordedAt: 0), ColumnCollector())
        fields.visitColumns(&collector)
        return collector.columns
    }()
    /// Comma-separated SQL names of the columns that ownership is computed from, as ``init(covered:)`` reads them.
    static let covered = (computed + columns.filter { !$0.column.isDetail }.map(\.column.name)).joined(separator: ", ")
    /// Comma-separated SQL names of all columns of the table of entries, as ``init(_:)`` reads them.
    static let all = (computed + columns.map(\.column.name)).joined(separator: ", ")

    /// Reads an entry from a row with all columns.
    ///
    /// - Throws: `LedgerError` `damaged` if the values differ from their checksum.
    init(_ row: PositionalStatement) throws(LedgerError) {
        try self.init(checked: EntryRow(unchecked: row, all: true), row)
    }

    /// Reads an entry from a row that has only the columns needed to compute ownership.
    ///
    /// - Throws: `LedgerError` `damaged` if the values differ from their checksum.
    init(covered row: PositionalStatement) throws(LedgerError) {
        try self.init(checked: EntryRow(unchecked: row, all: false), row)
    }

    private init(checked entry: EntryRow, _ row: PositionalStatement) throws(LedgerError) {
        guard row.integer(at: 2) == entry.checksum else {
            throw LedgerError(
                code: .damaged,
                reason: "entry \(entry.fields.sequence ?? 0) of the ledger differs from its checksum")
        }
        self = entry
    }

    /// Reads an entry from a row without comparing it with its checksum.
    ///
    /// - Parameter all: `true` if the row has all columns, `false` if it has only those needed to compute ownership.
    init(unchecked row: PositionalStatement, all: Bool) {
        var fields = EntryFields(kind: "", key: "", recordedAt: 0)
        var reader = ColumnReader(row: row, readsDetails: all)
        fields.sequence = row.integer(at: 0)
        balance = row.integer(at: 1)
        reader.checksum.add(fields.sequence)
        reader.checksum.add(balance)
        fields.visitColumns(&reader)
        checksum = reader.checksum.value
        self.fields = fields
    }
}

extension PositionalStatement {
    /// Binds the values of an entry to the parameters of the statement.
    ///
    /// - Parameter fields: Values of the entry, which are not changed. They are passed `inout`, because copying them
    ///   would take longer than binding them.
    /// - Returns: The checksum of the values, which is bound too.
    func bind(_ fields: inout EntryFields, balance: Int64?) -> Int64 {
        var writer = ColumnWriter(row: self)
        bindNothing()
        bind(fields.sequence, at: 0)
        bind(balance, at: 1)
        writer.checksum.add(fields.sequence)
        writer.checksum.add(balance)
        fields.visitColumns(&writer)
        bind(writer.checksum.value, at: 2)
        return writer.checksum.value
    }
}

/// Visitor that collects the columns of an entry with their SQL types.
private struct ColumnCollector: EntryColumnVisitor {
    var columns: [(column: EntryColumn, type: String)] = []

    mutating func visit(_ column: EntryColumn, _ text: inout String?) { columns.append((column, "TEXT")) }

    mutating func visit(_ column: EntryColumn, _ integer: inout Int64?) { columns.append((column, "INTEGER")) }

    mutating func visit(_ column: EntryColumn, _ flag: inout Bool?) {
        columns.append((column, "INTEGER CHECK (\(column.name) IN (0, 1))"))
    }
}

/// Visitor that binds the values of an entry to a statement without bound values, and computes their checksum.
private struct ColumnWriter: EntryColumnVisitor {
    let row: PositionalStatement
    var place = EntryRow.computed.count
    var checksum = Checksum()

    mutating func visit(_ column: EntryColumn, _ text: inout String?) {
        let stored = text.map(PositionalStatement.storedText)
        if let stored { row.bind(stored: stored, at: place) }
        checksum.add(stored, of: column)
        place += 1
    }

    mutating func visit(_ column: EntryColumn, _ integer: inout Int64?) {
        if let integer { row.bind(integer, at: place) }
        checksum.add(integer)
        place += 1
    }

    mutating func visit(_ column: EntryColumn, _ flag: inout Bool?) {
        var integer: Int64? = flag.map { $0 ? 1 : 0 }
        visit(column, &integer)
    }
}

/// Visitor that reads the values of an entry from a row, and computes their checksum. Columns that the row lacks are
/// left empty.
private struct ColumnReader: EntryColumnVisitor {
    let row: PositionalStatement
    let readsDetails: Bool
    var place = EntryRow.computed.count
    var checksum = Checksum()

    mutating func visit(_ column: EntryColumn, _ text: inout String?) {
        guard readsDetails || !column.isDetail else {
            checksum.add(text: nil, of: column)
            return
        }
        row.withText(at: place) { checksum.add(text: $0, of: column) }
        text = row.text(at: place)
        place += 1
    }

    mutating func visit(_ column: EntryColumn, _ integer: inout Int64?) {
        integer = row.integer(at: place)
        checksum.add(integer)
        place += 1
    }

    mutating func visit(_ column: EntryColumn, _ flag: inout Bool?) {
        let integer = row.integer(at: place)
        flag = integer.map { $0 != 0 }
        checksum.add(integer)
        place += 1
    }
}
