public import Foundation
public import VitrineSupport

/// Place at which the devices of a customer exchange what they have recorded: a folder, or a server of the app.
///
/// A place stores documents under names and knows nothing of their content. Documents are never changed: a name
/// contains a digest of the document. A place may lose documents for a while, deliver them late and in any order, and
/// contain files of others.
public protocol ExchangePlace: Sendable {
    /// Returns the names of all documents: the only request of an exchange that has nothing to exchange.
    ///
    /// - Throws: ``ExchangeError`` `place` if the place cannot be reached.
    func names() async throws(ExchangeError) -> [String]

    /// Returns a document.
    ///
    /// - Returns: `nil` if there is no document of the name, or none that is complete.
    /// - Throws: ``ExchangeError`` `place` if the place cannot be reached, `tooLarge` for a document of more than
    ///   ``DeviceDocument/sizeLimit`` bytes.
    func document(named name: String) async throws(ExchangeError) -> Data?

    /// Stores a document, and returns once it is durable. A document of the same name is the same document.
    ///
    /// - Throws: ``ExchangeError`` `place` if the document cannot be stored.
    func store(_ document: Data, named name: String) async throws(ExchangeError)

    /// Calls a function while no other device does the same at this place.
    ///
    /// - Throws: Errors of the function, and ``ExchangeError`` `place` if the place cannot decide between devices.
    func exclusively<Value: Sendable>(
        _ body: @Sendable () async throws(ExchangeError) -> Value
    ) async throws(ExchangeError) -> Value
}

/// Error that explains why devices have not exchanged what they have recorded.
public typealias ExchangeError = CodedError<ExchangeErrorCode>

/// Category of ``ExchangeError``.
public enum ExchangeErrorCode: String, ErrorCode {
    /// Place that cannot be reached, read or written.
    case place
    /// Document that is larger than any that a device writes.
    case tooLarge = "too-large"
    /// Storage directory whose ledger cannot be read or written.
    case storage
    /// Storage directory for which another process is exchanging.
    case busy
    /// Storage directory that belongs to another customer.
    case otherCustomer = "other-customer"
    /// Device that another device of the customer has removed.
    case removed
    /// Lease for which the wallet has too few units.
    case insufficientFunds = "insufficient-funds"
    /// Lease or device that does not exist, or lease that cannot be recorded.
    case invalid

    public var advice: String? {
        switch self {
        case .place: "Check that the folder or server can be reached and written, then try again."
        case .tooLarge: "Remove the file from the folder."
        case .storage: "Free space on the device and check the permissions of the storage directory, then try again."
        case .busy: "Wait until the other process has finished, then try again."
        case .otherCustomer:
            "Use a storage directory of its own for each customer. If the same customer has a new key, start over."
        case .removed: "Start over, and exchange again as a new device."
        case .insufficientFunds: "Lease fewer units."
        case .invalid: "Check the wallet, the amount and the identifier."
        }
    }
}
