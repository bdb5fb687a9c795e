public import Foundation
public import VitrineSupport

/// Shared storage for the documents that the devices of a customer exchange: a folder, or a server of the app.
///
/// The storage maps names to documents, and does not interpret their content. Documents are never changed: a name
/// contains a digest of the document. The storage may lose documents for a while, deliver them late and in any order,
/// and contain other files.
public protocol ExchangeTransport: Sendable {
    /// Returns the names of all documents. This is the only request of an exchange without new documents.
    ///
    /// - Throws: ``ExchangeError`` `transport` if the storage cannot be reached.
    func names() async throws(ExchangeError) -> [String]

    /// Returns a document.
    ///
    /// - Returns: `nil` if there is no complete document with the name.
    /// - Throws: ``ExchangeError`` `transport` if the storage cannot be reached, `tooLarge` for a document of more than
    ///   ``DeviceDocument/sizeLimit`` bytes.
    func document(named name: String) async throws(ExchangeError) -> Data?

    /// Stores a document durably. Documents with the same name have the same content.
    ///
    /// - Throws: ``ExchangeError`` `transport` if the document cannot be stored.
    func store(_ document: Data, named name: String) async throws(ExchangeError)

    /// Calls a function with exclusive access: no other device runs such a function on this storage at the same time.
    ///
    /// - Throws: Errors of the function, and ``ExchangeError`` `transport` if the storage cannot exclude other devices.
    func exclusively<Value: Sendable>(
        _ body: @Sendable () async throws(ExchangeError) -> Value
    ) async throws(ExchangeError) -> Value
}

/// Error of an exchange with the other devices of the customer.
public typealias ExchangeError = CodedError<ExchangeErrorCode>

/// Category of ``ExchangeError``.
public enum ExchangeErrorCode: String, ErrorCode {
    /// The shared folder or server cannot be reached, read or written.
    case transport
    /// A document is larger than ``DeviceDocument/sizeLimit``.
    case tooLarge = "too-large"
    /// The ledger in the storage directory cannot be read or written.
    case storage
    /// Another process is exchanging for the same storage directory.
    case busy
    /// The storage directory belongs to another customer.
    case otherCustomer = "other-customer"
    /// Another device of the customer has removed this device.
    case removed
    /// The wallet has too few units for the lease.
    case insufficientFunds = "insufficient-funds"
    /// The lease or device does not exist, or the lease cannot be recorded.
    case invalid

    public var advice: String? {
        switch self {
        case .transport: "Check that the folder or server can be reached and written, then try again."
        case .tooLarge: "Remove the file from the folder, or raise the limit of the app's server."
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
