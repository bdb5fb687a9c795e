public import Foundation
public import HTTPTypes

/// Session that fetches files while the app is suspended or terminated, as Apple's background `URLSession` does.
///
/// Transfers continue without the app. After the next launch, the app recognizes them by their names.
public protocol BackgroundSession: Sendable {
    /// Sets the listener that receives the events of transfers, starting with the events that occurred without a
    /// listener. A new listener replaces the previous one. Events are passed to it one at a time.
    func listen(_ listener: @escaping BackgroundListener)

    /// Returns the transfers that have not ended, including those of earlier launches. A transfer whose end the
    /// listener has just received may be among them.
    func transfers() async -> [BackgroundTransfer]

    /// Starts to fetch a file with `GET`. Redirects are followed. The caller has to check that the address is allowed.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - fields: Header fields of the request.
    ///   - name: Name that identifies the transfer after a relaunch.
    ///   - resumption: Resume data of an earlier transfer from this address; `nil` to begin with the first byte.
    func start(_ url: URL, fields: HTTPFields, name: String, resumption: Data?) -> BackgroundTransfer

    /// Cancels a transfer. If the file was complete before the cancellation, the listener has received it when this
    /// function returns.
    ///
    /// - Returns: Resume data of the transfer; `nil` if a later transfer has to begin with the first byte.
    func cancel(_ transfer: BackgroundTransfer) async -> Data?
}

/// Function that receives the events of transfers.
public typealias BackgroundListener = @Sendable (BackgroundTransfer, BackgroundEvent) -> Void

/// Transfer of a file from a web server in a background session.
public struct BackgroundTransfer: Sendable, Hashable {
    /// Identifier of the transfer within its session.
    public let number: Int
    /// Name that was given when the transfer was started.
    public let name: String
    /// Address that was given when the transfer was started; `nil` if the session does not provide it.
    public let address: URL?
    /// Number of bytes of the file that have been received.
    public let received: Int
    /// Total number of bytes of the file; `nil` until the server has sent this number.
    public let total: Int?

    public init(number: Int, name: String, address: URL?, received: Int = 0, total: Int? = nil) {
        self.number = number
        self.name = name
        self.address = address
        self.received = received
        self.total = total
    }
}

/// Event of a background transfer.
public enum BackgroundEvent: Sendable {
    /// More bytes of the file were received; ``BackgroundTransfer/received`` is their number.
    case progress
    /// The complete reply was received, with any status. Its body is in a file, which is removed when the listener
    /// returns, unless it was moved.
    case finished(URL, HTTPResponse)
    /// The transfer ended without a reply. With resume data, another transfer can continue; without, it begins with the
    /// first byte.
    case failed(HTTPTransportError, resumption: Data?)
}
