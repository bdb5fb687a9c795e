internal import Crypto
package import Foundation
package import VitrineEntitlements
internal import VitrineSupport

/// Customers of an app server: their identities, recorded facts, and owned products.
///
/// A customer is a ledger. The rules of the ledger decide in memory about new facts, and the database applies a change
/// only if the customer has not changed since the read. Therefore any number of servers can use one database.
package final class CustomerRecords: Sendable {
    package let apps: [String: ServedApp]
    let database: any CustomerDatabase
    let options: CustomerOptions
    let secrets: ServerSecrets
    let known = KnownCustomers()
    let queues = CustomerSerialQueues()
    let knownDevices = KnownDevices()
    let knownDocuments = KnownDocuments()
    let catalogs = Locked<[String: ServedCatalog]>([:])
    /// Date of the last removal of documents that no device needs.
    let lastRemoval = Locked(Date.distantPast)

    /// Opens the records of customers.
    ///
    /// - Parameters:
    ///   - database: Database, which is migrated to the current version.
    ///   - apps: Apps with different names.
    ///   - options: Clock, randomness and policies.
    /// - Throws: ``DatabaseError``.
    package init(
        database: any CustomerDatabase, apps: [ServedApp], options: CustomerOptions = CustomerOptions()
    ) async throws(DatabaseError) {
        self.database = database
        self.options = options
        self.apps = Dictionary(apps.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        try await database.migrate(CustomerSchema.migrations)
        secrets = try await ServerSecrets(database, random: options.randomBytes)
        try await reloadCatalogs()
    }

    var now: Date { options.now() }

    func app(_ name: String) throws(CustomerError) -> ServedApp {
        guard let app = apps[name] else {
            throw CustomerError(code: .notFound, reason: "this server has no app of this name")
        }
        return app
    }

    /// Runs a statement that only reads, and returns its rows.
    func rows(_ sql: String, _ values: SQLValue...) async throws(CustomerError) -> [SQLRow] {
        try await rows(SQLStatement(sql, values: values))
    }

    func rows(_ statement: SQLStatement) async throws(CustomerError) -> [SQLRow] {
        do throws(DatabaseError) {
            return try await database.rows(statement)
        } catch {
            throw CustomerError(error)
        }
    }

    /// Runs a statement that writes, and returns the number of changed rows.
    func write(_ sql: String, _ values: SQLValue...) async throws(CustomerError) -> Int {
        try await write([SQLStatement(sql, values: values)]).first ?? 0
    }

    func write(_ statements: [SQLStatement]) async throws(CustomerError) -> [Int] {
        do throws(DatabaseError) {
            return try await database.write(statements)
        } catch {
            throw CustomerError(error)
        }
    }

    /// Runs statements in a transaction of their own.
    ///
    /// - Returns: `false` if the data from earlier reads has changed; then nothing was written.
    func transact(_ steps: [SQLStep]) async throws(CustomerError) -> Bool {
        do throws(DatabaseError) {
            return try await database.transact(steps)
        } catch {
            if error.code == .conflict { return false }
            throw CustomerError(error)
        }
    }

    /// Returns a new random identifier, a UUID of version 4.
    func makeIdentifier() -> String {
        var bytes = Array(options.randomBytes(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array(bytes.hexadecimal.utf8)
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(decoding: digits[$0], as: UTF8.self) }
        return parts.joined(separator: "-")
    }

    /// Closes the connections to the database.
    package func close() async { await database.close() }

    /// Checks that the database responds.
    ///
    /// - Throws: ``CustomerError`` `unavailable`.
    package func checkDatabase() async throws(CustomerError) { _ = try await rows("SELECT 1") }
}

/// Clock, randomness and policies of customers' records.
package struct CustomerOptions: Sendable {
    package var now: @Sendable () -> Date = { Date() }
    /// Function that returns the given number of random bytes.
    package var randomBytes: @Sendable (Int) -> Data = { count in
        SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Data($0) }
    }
    /// Policy for devices that have independently spent more units than their wallet contains.
    package var overdrafts = OverdraftPolicy.forgiven
    /// Validity of a device's token, in seconds.
    package var tokenValidity: TimeInterval = 3_600
    /// Maximum duration of a lease, in seconds.
    package var longestLease: TimeInterval = 31 * 86_400
    /// Maximum number of facts that documents of a customer's devices add.
    package var mostDocumentFacts = 100_000

    package init() {}
}

/// Secret keys of a server, shared by all servers of a database.
struct ServerSecrets: Sendable {
    /// Key of the codes in challenges and links.
    let codes: SymmetricKey
    /// Master key for deriving each customer's key.
    let customers: SymmetricKey
    /// Key that signs the states of customers.
    let signing: Curve25519.Signing.PrivateKey

    init(_ database: any CustomerDatabase, random: (Int) -> Data) async throws(DatabaseError) {
        var values: [String: Data] = [:]
        for name in ["codes", "customers", "signing"] {
            _ = try await database.write([
                SQLStatement(
                    "INSERT INTO setting (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING", .text(name),
                    .bytes(random(32)))
            ])
            let rows = try await database.rows(SQLStatement("SELECT value FROM setting WHERE name = $1", .text(name)))
            values[name] = rows.first?.first?.bytes
        }
        guard let codes = values["codes"], let customers = values["customers"], let seed = values["signing"] else {
            throw DatabaseError(code: .refused, reason: "the database lacks the keys of the server")
        }
        self.codes = SymmetricKey(data: codes)
        self.customers = SymmetricKey(data: customers)
        do {
            signing = try Curve25519.Signing.PrivateKey(rawRepresentation: seed)
        } catch {
            throw DatabaseError(code: .refused, reason: "the server's key for signatures in the database is damaged")
        }
    }

    /// Returns the key of a customer, which seals the documents exchanged by devices and server.
    func key(of customer: String) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data("customer \(customer)".utf8), using: customers))
    }

    /// Returns an authentication code (HMAC) for a text, with which this server recognizes its own challenges and
    /// links.
    func code(for text: String) -> String {
        Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: codes)).prefix(16).hexadecimal
    }

    /// Indicates that an authentication code is valid for a text. The comparison takes constant time.
    func isCode(_ code: String, for text: String) -> Bool {
        code.utf8.isEqualInConstantTime(to: self.code(for: text).utf8)
    }
}
