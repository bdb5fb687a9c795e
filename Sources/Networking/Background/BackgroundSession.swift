public import Foundation
public import HTTPTypes

/// What fetches files while the app is suspended or gone, as Apple's background `URLSession` does.
///
/// What was begun goes on without the app, and is found by the next launch under its name.
public protocol BackgroundSession: Sendable {
    /// Has a listener told from now on what becomes of transfers, first what has become of them while there was none.
    /// The listener that was given last is the one that is told, of one thing after the other.
    func listen(_ listener: @escaping BackgroundListener)

    /// The transfers that have not ended, those of earlier launches among them.
    func transfers() async -> [BackgroundTransfer]

    /// Begins to fetch what an address has, by `GET`. Redirects are followed. That the address may be asked is for the
    /// caller to see to.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - fields: What is sent along.
    ///   - name: What the transfer is found by after a relaunch.
    ///   - resumption: What an earlier transfer from this address ended with; `nil` to begin with the first byte.
    func start(_ url: URL, fields: HTTPFields, name: String, resumption: Data?) -> BackgroundTransfer

    /// Ends a transfer. A file of it that is whole by now has been handed over once this answers.
    ///
    /// - Returns: What it can go on with; `nil` where it would begin with the first byte.
    func cancel(_ transfer: BackgroundTransfer) async -> Data?
}

/// Is told what becomes of a transfer.
public typealias BackgroundListener = @Sendable (BackgroundTransfer, BackgroundEvent) -> Void

/// A file that is being fetched.
public struct BackgroundTransfer: Sendable, Hashable {
    /// Which of the session's transfers it is.
    public let number: Int
    /// What it was begun under.
    public let name: String
    /// The address that it was begun with; `nil` where the session does not say.
    public let address: URL?
    /// Bytes that have come.
    public let received: Int
    /// Bytes that there are; `nil` while the server has not said so.
    public let total: Int?

    public init(number: Int, name: String, address: URL?, received: Int = 0, total: Int? = nil) {
        self.number = number
        self.name = name
        self.address = address
        self.received = received
        self.total = total
    }
}

/// What becomes of a transfer.
public enum BackgroundEvent: Sendable {
    /// More bytes have come: ``BackgroundTransfer/received``.
    case progress
    /// The reply has come whole, whatever its status, and its body lies in a file. The file is gone once the listener
    /// returns, unless it was moved.
    case finished(URL, HTTPResponse)
    /// It has ended without a reply. The data is what another transfer can go on with; `nil` where it would begin with
    /// the first byte.
    case failed(HTTPTransportError, resumption: Data?)
}
