#if PostgreSQL
    internal import CVitrinePQ
    internal import VitrineAppServerRecords
    internal import Foundation

    /// Parameter values of a statement in the binary format of PostgreSQL's protocol.
    struct PostgreSQLValues {
        /// Bytes of all values. One more byte at the end gives an empty value at the end a valid address.
        private var bytes: [UInt8] = []
        private var places: [Int?] = []
        private var lengths: [CInt] = []

        init(_ values: [SQLValue]) {
            for value in values {
                let start = bytes.count
                switch value {
                case .null: break
                case .integer(let integer):
                    for shift in stride(from: 56, through: 0, by: -8) {
                        bytes.append(UInt8(truncatingIfNeeded: integer >> Int64(shift)))
                    }
                case .text(let text): bytes.append(contentsOf: text.utf8)
                case .bytes(let data): bytes.append(contentsOf: data)
                }
                places.append(value == .null ? nil : start)
                lengths.append(CInt(bytes.count - start))
            }
            bytes.append(0)
        }

        /// Sends a prepared statement with the values.
        ///
        /// - Returns: `false` if libpq reports a failure.
        func send(_ name: String, to connection: OpaquePointer) -> Bool {
            let formats = [CInt](repeating: 1, count: places.count)
            return bytes.withUnsafeBufferPointer { buffer in
                let start = UnsafeRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
                let values = places.map { place in place.flatMap { start?.advanced(by: $0) } }
                return PQsendQueryPrepared(connection, name, CInt(values.count), values, lengths, formats, 1) == 1
            }
        }
    }

    /// Object identifiers of PostgreSQL's types, from its catalog `pg_type`.
    enum PostgreSQLType {
        static let boolean: Oid = 16
        static let bytes: Oid = 17
        static let name: Oid = 19
        static let integer: Oid = 20
        static let shortInteger: Oid = 21
        static let mediumInteger: Oid = 23
        static let text: Oid = 25
        static let variableText: Oid = 1043
        static let decimal: Oid = 1700
        /// `void`, the result type of functions without a result.
        static let nothing: Oid = 2278

        /// Returns the type of a parameter. The type of `NULL` does not matter, because ``PreparedForm`` writes it into
        /// the SQL.
        static func of(_ value: SQLValue) -> Oid {
            switch value {
            case .null, .text: text
            case .integer: integer
            case .bytes: bytes
            }
        }

        /// Decodes a value from the binary format.
        ///
        /// - Returns: `nil` for a type or number that the server's statements never return.
        static func value(_ type: Oid, _ bytes: UnsafeRawBufferPointer) -> SQLValue? {
            switch type {
            case boolean: .integer(bytes.first == 1 ? 1 : 0)
            case integer, mediumInteger, shortInteger: integerValue(bytes).map(SQLValue.integer)
            case decimal: decimalValue(bytes).map(SQLValue.integer)
            case text, variableText, name: .text(String(decoding: bytes, as: UTF8.self))
            case Self.bytes: .bytes(Data(bytes))
            case nothing: .null
            default: nil
            }
        }

        private static func integerValue(_ bytes: UnsafeRawBufferPointer) -> Int64? {
            guard let first = bytes.first, bytes.count <= 8 else { return nil }
            var value: Int64 = first >= 0x80 ? -1 : 0
            for byte in bytes { value = value << 8 | Int64(byte) }
            return value
        }

        /// Decodes an integer from the binary format of `numeric`, the type of PostgreSQL's sums of integers: number of
        /// digits in base 10,000, power of the first digit, sign, number of decimals, and the digits.
        private static func decimalValue(_ bytes: UnsafeRawBufferPointer) -> Int64? {
            var fields: [Int64] = []
            for place in stride(from: 0, to: bytes.count - 1, by: 2) {
                fields.append(Int64(Int16(bitPattern: UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]))))
            }
            guard fields.count >= 4, fields.count == 4 + fields[0], fields[0] <= fields[1] + 1, fields[1] <= 4,
                [0, 0x4000].contains(fields[2])
            else { return fields.count == 4 && fields[0] == 0 ? 0 : nil }
            var value: Int64 = 0
            for place in 0...fields[1] {
                let digit = place < fields[0] ? fields[4 + Int(place)] : 0
                let (product, overflows) = value.multipliedReportingOverflow(by: 10_000)
                let (sum, overflowsToo) = product.subtractingReportingOverflow(digit)
                guard !overflows, !overflowsToo else { return nil }
                value = sum
            }
            guard fields[2] == 0 else { return value }
            return value == .min ? nil : -value
        }
    }

    /// Form of a statement that PostgreSQL prepares: its SQL and the types of its parameters.
    struct PreparedForm: Hashable {
        private let template: String
        /// Types of the values; `nil` for a value that is `NULL`.
        private let valueTypes: [Oid?]

        init(_ statement: SQLStatement) {
            template = statement.sql
            valueTypes = statement.values.map { value in
                if case .null = value { nil } else { PostgreSQLType.of(value) }
            }
        }

        /// Types of the parameters. The type of one without a value does not matter, because the SQL does not contain it.
        var types: [Oid] { valueTypes.map { $0 ?? PostgreSQLType.text } }

        /// SQL with `NULL` in place of parameters without a value. A literal `NULL` adapts to the type of each
        /// position, but a parameter has one type in all positions.
        var sql: String {
            guard valueTypes.contains(nil) else { return template }
            var sql = ""
            // String literals and quoted names contain no parameters.
            var quote: Character?
            var rest = template[...]
            while let character = rest.popFirst() {
                guard quote == nil, character == "$" else {
                    if quote == character {
                        quote = nil
                    } else if quote == nil, "'\"".contains(character) {
                        quote = character
                    }
                    sql.append(character)
                    continue
                }
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                rest.removeFirst(digits.count)
                let isNull = Int(digits).map { valueTypes.indices.contains($0 - 1) && valueTypes[$0 - 1] == nil }
                sql += isNull == true ? "NULL" : "$\(digits)"
            }
            return sql
        }
    }
#endif
