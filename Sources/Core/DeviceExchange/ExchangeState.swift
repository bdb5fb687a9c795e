internal import Foundation
package import VitrineEntitlements
internal import VitrineSupport

/// State of the exchange with other devices. A ledger stores the state beside its entries.
package struct ExchangeState: Codable, Sendable, Hashable {
    /// Identifier of this device; `nil` before the first exchange, and after the customer has signed out.
    package var device: String?
    /// Name of this device, for display.
    package var name = ""
    /// Device name in the last document of this device; `nil` if it has published no document under its identifier.
    var publishedName: String?
    /// Earlier identifiers of this device.
    package var formerDevices: [String] = []
    /// Digest of the key of the customer to whom the ledger belongs; `nil` without a key.
    package var customer: String?
    /// `true` after the first exchange. The value of ``customer`` is then valid.
    var hasCustomer = false
    /// Last sequence number that a document of this device covers.
    var published: Int64 = 0
    /// Sequence number up to which the ledger was searched for facts to publish.
    var scanned: Int64 = 0
    /// Wallets that published facts of this device affect, and whose balances were not adjusted to the facts of all
    /// devices since.
    var unadjusted: Set<String> = []
    /// Method of the exchange: single documents, or sums. All devices of a customer use the same method.
    var way = Way.documents
    /// Document that is currently being published.
    var publishing: Published?
    /// Published documents of this device. Those that the shared storage loses are published again.
    var documents: [Published] = []
    /// Digests of the documents of this device, and of documents that were read.
    var read: Set<String> = []
    /// Names of invalid documents, which are not read again. The full name is stored, because another document may have
    /// the same digest in its name.
    var refused: Set<String> = []
    /// Names of documents that could not be read completely. The next exchange reads them after all others.
    var unreadable: Set<String> = []
    /// Gifts of the app's servers to the customer that were recorded before the first exchange at this place, and that no
    /// document read here contains; `nil` once all documents have been compared.
    var giftsElsewhere: [ServerGift]?
    /// Other devices by their identifiers.
    package var devices: [String: Device] = [:]
    /// Sums of this device's facts, if the devices exchange sums.
    var summary: DeviceSummary?
    /// Last published summary of this device in the key-value store.
    var publishedSummary: DeviceSummary?
    /// Summary of this device that is currently being published.
    var publishingSummary: DeviceSummary?
    /// Summaries of other devices whose facts are recorded in the ledger, by device identifier.
    var applied: [String: DeviceSummary] = [:]
    /// Summaries of other devices whose facts are being recorded in the ledger, by device identifier.
    var applying: [String: Applying] = [:]
    /// Identifiers of devices that this device has removed. The next document of this device lists them.
    package var removing: [String] = []
    /// Identifier of the device that has removed this one; `nil` if it was not removed.
    var removedBy: String?

    enum Way: String, Codable, Sendable {
        case documents, sums
    }

    struct Applying: Codable, Sendable, Hashable {
        let summary: DeviceSummary
        let isSealed: Bool
        /// `true` if a device has told the sums under an identifier that it had before; otherwise `nil`.
        var isFormer: Bool?
    }

    /// Metadata of a document that this device has published.
    struct Published: Codable, Sendable, Hashable {
        let name: String
        let device: String
        let deviceName: String
        let first: Int64
        let last: Int64
        let removed: [String]
        let hasLeft: Bool
        /// Digests of earlier documents whose entries the document contains; `nil` if there are none.
        var replaced: [String]?

        var digest: String? { DocumentName(name)?.digest }
    }

    package struct Device: Codable, Sendable, Hashable {
        package var name = ""
        /// Latest moment of a fact in the documents of the device, in milliseconds since 1970; 0 if there is none.
        package var latestMoment: Int64 = 0
        /// Sorted ranges of sequence numbers that the documents of the device cover.
        package var ranges: [ClosedRange<Int64>] = []
        /// Versions of the content that was installed on the device, by product.
        package var content: [String: String] = [:]
        /// Digests of documents of the device that later ones have replaced; `nil` if there are none.
        var replaced: Set<String>?
        package var isRemoved = false
        package var hasLeft = false
        /// `true` if two documents of the device cover the same sequence numbers, so that two copies of the device
        /// exist.
        package var isRepeated = false

        package init() {}

        var withoutRanges: Device {
            var device = self
            (device.ranges, device.replaced) = ([], nil)
            return device
        }

        /// Adds the range of sequence numbers of a document to the covered ranges.
        ///
        /// - Parameter documents: Digests of documents that it replaces, and which cover a part of its range.
        mutating func add(_ range: ClosedRange<Int64>, replacing documents: [String]) {
            if !documents.isEmpty {
                replaced = (replaced ?? []).union(documents)
            } else if ranges.contains(where: { $0.overlaps(range) }) {
                isRepeated = true
            }
            var merged = range
            ranges.removeAll { other in
                guard
                    other.overlaps(merged) || other.upperBound + 1 == merged.lowerBound
                        || merged.upperBound + 1 == other.lowerBound
                else { return false }
                merged = min(other.lowerBound, merged.lowerBound)...max(other.upperBound, merged.upperBound)
                return true
            }
            ranges.append(merged)
            ranges.sort { $0.lowerBound < $1.lowerBound }
        }
    }

    private static let mostUnsealedDevices = 100
    private static let stored = StoredJSON<ExchangeState>(
        name: "exchange", description: "the details of the exchange with devices")

    // MARK: Changes

    /// Indicates that a later document of the same device, which was read, contains the entries of a document.
    func isReplaced(_ name: DocumentName) -> Bool {
        devices[name.device]?.replaced?.contains(name.digest) == true
    }

    /// Indicates that a copy of this device has replaced a document that both have published, by one that was read.
    func hasReplacement(of document: Published, among present: [DocumentName]) -> Bool {
        guard let name = DocumentName(document.name), isReplaced(name) else { return false }
        return present.contains { other in
            other.device == name.device && other.first <= name.first && name.last <= other.last
                && read.contains(other.digest)
        }
    }

    /// Records that a document is published, and that it has taken the place of those that it replaces.
    mutating func recordPublished(_ document: Published) {
        published = document.last
        let replaced = Set(document.replaced ?? [])
        documents.removeAll { earlier in
            earlier.name == document.name
                || earlier.device == document.device && earlier.digest.map(replaced.contains) == true
        }
        documents.append(document)
    }

    package static func read(from ledger: any Ledger) async throws(ExchangeError) -> ExchangeState {
        do throws(LedgerError) {
            return try await stored.value(in: ledger) ?? ExchangeState()
        } catch {
            throw ExchangeError(error)
        }
    }

    package func store(in ledger: any Ledger) async throws(ExchangeError) {
        do throws(LedgerError) {
            try await Self.stored.store(self, in: ledger)
        } catch {
            throw ExchangeError(error)
        }
    }

    /// Begins an exchange: binds the ledger to a customer and a method, and assigns the device an identifier.
    mutating func bind(
        to key: LedgerSealKey?, name: String, way: Way, _ makeIdentifier: () -> String
    ) throws(ExchangeError) {
        guard !hasCustomer || customer == key?.customer else {
            throw ExchangeError(
                code: .otherCustomer,
                reason: customer == nil
                    ? "this storage directory has exchanged without a key"
                    : "this storage directory belongs to a customer with another key")
        }
        // A device that has started over has recorded what others have published before.
        guard !hasCustomer && formerDevices.isEmpty || self.way == way else {
            throw ExchangeError(
                code: .invalid, reason: "the devices of this customer exchange in another way, in which all facts count"
            )
        }
        (hasCustomer, customer, self.way, self.name) = (true, key?.customer, way, name)
        if device == nil { device = makeIdentifier() }
    }

    /// Sums of this device under its earlier identifiers; `nil` if there are none.
    var formerSums: [DeviceSummary.Former]? {
        let former = formerDevices.compactMap { applied[$0] }.map(DeviceSummary.Former.init)
        return former.isEmpty ? nil : former
    }

    /// Begins a summary for a new identifier, with only the unpublished units. The published summary is recorded as
    /// another device's, so that units in later summaries of a copy of this device count in addition. Its sums are
    /// published again as those of a former identifier.
    private mutating func beginNewSummary() {
        guard let summary, let baseline = publishingSummary ?? publishedSummary else { return }
        self.summary = summary.subtracting(baseline)
        if let device { applied[device] = baseline }
    }

    /// Discards the customer, the shared storage and the record of published documents. The device then publishes
    /// everything again under a new identifier, by the same method.
    package mutating func startOver() {
        giveUpIdentifier()
        var new = ExchangeState()
        // All documents are read again.
        (new.formerDevices, new.devices) = (formerDevices, devices.mapValues(\.withoutRanges))
        // A sum contains facts that documents contain one by one: together they would count twice.
        new.way = way
        // The facts of these summaries are already in the ledger.
        (new.summary, new.applied, new.applying) = (summary, applied, applying)
        self = new
    }

    /// Checks that the device takes part in the exchange.
    ///
    /// - Throws: ``ExchangeError`` `invalid` before the first exchange, and after the customer has signed out.
    func checkJoined() throws(ExchangeError) {
        guard device != nil else {
            throw ExchangeError(
                code: .invalid, reason: "this device has not exchanged, or the customer has signed out on it")
        }
    }

    /// Continues with a new identifier, because a copy of the storage directory has exchanged with the current one.
    ///
    /// - Returns: The problem to report.
    mutating func changeIdentifier(_ identifier: String, after document: String) -> ExchangeProblem {
        let old = device ?? ""
        giveUpIdentifier()
        devices[old, default: Device()].isRepeated = true
        device = identifier
        return ExchangeProblem(
            document: document, device: old,
            reason:
                "a copy of this storage directory has exchanged as the same device; this one goes on as a new device",
            isFinal: true)
    }

    mutating func giveUpIdentifier() {
        beginNewSummary()
        if let device { formerDevices.append(device) }
        (device, publishedName, removedBy, publishedSummary, publishingSummary) = (nil, nil, nil, nil, nil)
    }

    /// Records the properties that a device has published about itself, and the devices that it has removed.
    ///
    /// - Parameters:
    ///   - isSealed: `true` if the properties are sealed with the customer's key.
    mutating func recordDevice(
        name: String, moment: Int64, of id: String, hasLeft: Bool, removed: [String], isSealed: Bool
    ) {
        // Without a key, the properties are not authenticated. They are only used to show the names of devices.
        guard isSealed || customer == nil && (devices.count < Self.mostUnsealedDevices || devices[id] != nil) else {
            return
        }
        var device = devices[id] ?? Device()
        device.name = name
        device.latestMoment = max(device.latestMoment, moment)
        if hasLeft { device.hasLeft = true }
        devices[id] = device
        guard isSealed else { return }
        for other in removed where other != id {
            if other == self.device { removedBy = id }
            devices[other, default: Device()].isRemoved = true
        }
    }
}
