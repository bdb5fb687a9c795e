/// Tables of an app server's database. A released migration is never changed; a new migration follows it.
enum CustomerSchema {
    static let migrations = [
        SQLMigration(
            number: 1,
            statements: tables
                + (0..<partitions).map { part in
                    """
                    {postgresql: CREATE TABLE fact_\(part) PARTITION OF fact \
                    FOR VALUES WITH (MODULUS \(partitions), REMAINDER \(part))}
                    """
                })
    ]

    /// Number of partitions of the table of facts in PostgreSQL, which keep vacuum runs and indexes small.
    private static let partitions = 32

    private static let tables = [
        // The table contains the keys of the server, and the progress of recurring jobs.
        "CREATE TABLE setting (name TEXT PRIMARY KEY, value {bytes} NOT NULL)",
        // `writer` identifies the last change. The other statements of a change run only if the first one has set it.
        """
        CREATE TABLE customer (id TEXT PRIMARY KEY, app TEXT NOT NULL, created {integer} NOT NULL, \
        sequence {integer} NOT NULL, writer TEXT NOT NULL, merged_into TEXT)
        """,
        """
        CREATE TABLE identity (app TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL, \
        customer TEXT NOT NULL, since {integer} NOT NULL, PRIMARY KEY (app, kind, value))
        """,
        "CREATE INDEX identity_customer ON identity (customer)",
        // `origins` has the customers from whom operators have transferred the device, as `DeviceOrigin` describes.
        """
        CREATE TABLE device (id TEXT PRIMARY KEY, app TEXT NOT NULL, customer TEXT NOT NULL, name TEXT NOT NULL, \
        public_key {bytes} NOT NULL, created {integer} NOT NULL, seen {integer} NOT NULL, \
        token {bytes} NOT NULL, expires {integer} NOT NULL, ended {integer}, origins TEXT)
        """,
        "CREATE INDEX device_customer ON device (customer)",
        "CREATE UNIQUE INDEX device_token ON device (token)",
        "CREATE UNIQUE INDEX device_key ON device (app, public_key)",
        // The table has the names under which a device has published documents, which the facts from them have as their
        // device.
        "CREATE TABLE published_name (device TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (device, name))",
        // Challenges that devices have signed, until they have expired on all servers.
        "CREATE TABLE used_challenge (value TEXT PRIMARY KEY, until {integer} NOT NULL)",
        "CREATE INDEX used_challenge_until ON used_challenge (until)",
        """
        CREATE TABLE fact (customer TEXT NOT NULL, sequence {integer} NOT NULL, kind TEXT NOT NULL, \
        key TEXT NOT NULL, recorded {integer} NOT NULL, device TEXT, wallet TEXT, amount {integer}, \
        entry TEXT NOT NULL, signed TEXT, PRIMARY KEY (customer, sequence)) {postgresql: PARTITION BY HASH (customer)}
        """,
        "CREATE UNIQUE INDEX fact_key ON fact (customer, kind, key)",
        // The index finds the customer of a transaction.
        "CREATE INDEX fact_purchase ON fact (key) WHERE kind = 'purchase'",
        // Codes of units that are received once: those of a purchase, with the customer who has received them, and, without a
        // customer, those that nobody receives again, of erased customers and of transferred store accounts (starting
        // balances). Without the server's keys the codes tell nothing about a purchase.
        "CREATE TABLE received_units (app TEXT NOT NULL, code TEXT NOT NULL, customer TEXT, PRIMARY KEY (app, code))",
        // Codes of purchases of erased customers that the store has ended, such as refunded ones, with the signing date of the
        // last data that says so.
        """
        CREATE TABLE erased_end (app TEXT NOT NULL, code TEXT NOT NULL, signed {integer} NOT NULL, \
        PRIMARY KEY (app, code))
        """,
        // The table finds the facts about purchases other than consumables, and all revocations: the periods of a
        // subscription may belong to several customers, and copies of a transaction may name several. `original` is the
        // first transaction of the purchase.
        """
        CREATE TABLE purchase_fact (app TEXT NOT NULL, original TEXT NOT NULL, customer TEXT NOT NULL, \
        sequence {integer} NOT NULL, PRIMARY KEY (app, original, customer, sequence))
        """,
        "CREATE INDEX purchase_fact_customer ON purchase_fact (customer)",
        """
        CREATE TABLE statement (customer TEXT NOT NULL, name TEXT NOT NULL, signed {integer} NOT NULL, \
        PRIMARY KEY (customer, name))
        """,
        """
        CREATE TABLE document (customer TEXT NOT NULL, name TEXT NOT NULL, received {integer} NOT NULL, \
        content {bytes} NOT NULL, PRIMARY KEY (customer, name))
        """,
        """
        CREATE TABLE exchange_lock (customer TEXT PRIMARY KEY, holder TEXT NOT NULL, until {integer} NOT NULL)
        """,
        """
        CREATE TABLE notification (app TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, subtype TEXT, \
        signed {integer}, received {integer} NOT NULL, state TEXT NOT NULL, reason TEXT, customer TEXT, \
        payload TEXT NOT NULL, PRIMARY KEY (app, id))
        """,
        "CREATE INDEX notification_state ON notification (app, state, received)",
        "CREATE INDEX notification_customer ON notification (customer)",
        """
        CREATE TABLE catalog (app TEXT NOT NULL, file TEXT NOT NULL, published {integer} NOT NULL, \
        content {bytes} NOT NULL, PRIMARY KEY (app, file))
        """,
        "CREATE TABLE job (name TEXT PRIMARY KEY, holder TEXT NOT NULL, until {integer} NOT NULL)",
        """
        CREATE TABLE audit (id TEXT PRIMARY KEY, time {integer} NOT NULL, operator TEXT NOT NULL, \
        action TEXT NOT NULL, customer TEXT, detail TEXT NOT NULL)
        """,
    ]
}
