internal import VitrineAppServerRecords

/// Limits for what single addresses, devices and customers can request of a server. An address may be that of a school or of a
/// mobile network with thousands of customers.
package struct ServerLimits: Sendable, Hashable {
    /// Enrollments of devices from one address.
    package var enrollments = RequestRate(count: 3_000, seconds: 3_600)
    /// Requests of all kinds from one address.
    package var requests = RequestRate(count: 12_000, seconds: 60)
    /// Bytes of exchanged documents from one address.
    package var documents = RequestRate(count: 256 << 20, seconds: 86_400)
    /// Facts that documents of a customer's devices add.
    package var documentFacts = CustomerOptions().mostDocumentFacts
    /// Connections from one address at a time. Connections of a proxy are not limited.
    package var connections = 1_000
    /// Event streams from one address at a time.
    package var streams = 1_000
    /// Event streams of one device at a time. Another one ends the oldest.
    package var deviceStreams = 4
    /// Requests of one device that change nothing.
    package var reads = RequestRate(count: 1_000, seconds: 10)
    /// All other requests of one device.
    package var writes = RequestRate(count: 10, seconds: 1)

    package init() {}
}

extension ServerLimits {
    private static let keys = [
        "enrollmentsPerHour", "requestsPerMinute", "documentMegabytesPerDay", "documentFactsPerCustomer",
        "connectionsPerAddress", "streamsPerAddress", "streamsPerDevice", "readsPerSecond", "writesPerSecond",
    ]
    private static let most = 1_000_000_000

    /// Reads the limits of a configuration file. A missing key leaves the default.
    init(_ value: ConfigurationValue) {
        let values = value.values(Self.keys)
        func number(_ key: String, atLeast least: Int = 1) -> Int? { values[key]?.integer(in: least...Self.most) }
        if let number = number("enrollmentsPerHour") { enrollments.count = number }
        if let number = number("requestsPerMinute") { requests.count = number }
        // A smaller allowance would never admit a document of the maximum size.
        if let number = number("documentMegabytesPerDay", atLeast: CustomerRecords.documentLimit >> 20) {
            documents.count = number << 20
        }
        if let number = number("documentFactsPerCustomer") { documentFacts = number }
        if let number = number("connectionsPerAddress") { connections = number }
        if let number = number("streamsPerAddress") { streams = number }
        if let number = number("streamsPerDevice") { deviceStreams = number }
        if let number = number("readsPerSecond") { reads.count = number * Int(reads.seconds) }
        if let number = number("writesPerSecond") { writes.count = number }
    }
}
