internal import Crypto
public import Foundation
internal import HTTPTypes
internal import VitrineAppServerAPI
internal import VitrineFileSystem
internal import VitrineNetworking
internal import VitrineSupport

/// State of a customer as the app's server knows it: owned products and balances.
public struct ServerCustomerState: Sendable, Hashable {
    /// JSON document of the server.
    public let body: Data
    /// Identifier of this version of the state, the value of `ETag`, with which a newer version is requested; `nil` if
    /// the server sent none.
    public let tag: String?
    /// Random text of the request, which the signature covers.
    let nonce: String
    /// Signature of the server over the nonce and the document, Ed25519; `nil` if the server sent none.
    let signature: Data?

    /// Returns `true` if a server has signed this answer, so that neither another server nor an earlier answer can
    /// replace it.
    ///
    /// - Parameter publicKey: Public key of the server, Ed25519, 32 bytes, as ``CatalogManager/Server/publicKey()`` returns it.
    public func isSigned(by publicKey: Data) -> Bool {
        guard let signature, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey) else {
            return false
        }
        return key.isValidSignature(signature, for: CustomerStateDocument.signedBytes(nonce: nonce, body: body))
    }
}

extension CatalogManager.Server {
    /// Requests the customer's state from the server: owned products and balances, for example to display them. The
    /// state on this device does not change.
    ///
    /// - Parameter earlier: Last state that the app has received; `nil` for none.
    /// - Returns: The state; with the document of `earlier` if nothing has changed.
    /// - Throws: ``AppServerError``.
    public func customerState(after earlier: ServerCustomerState? = nil) async throws(AppServerError)
        -> ServerCustomerState
    {
        let nonce = UUID().uuidString
        var request = ServerClient.Request(AppServerAPI.customerState)
        request.fields[.ifNoneMatch] = earlier?.tag
        request.fields[.nonce] = nonce
        let reply = try await session.reply(to: request)
        let signature = reply.response.headerFields[.stateSignature].flatMap { Data(base64Encoded: $0) }
        guard reply.response.status != .notModified else {
            guard let earlier, earlier.tag != nil else { throw .format(request.endpoint.name) }
            return ServerCustomerState(body: earlier.body, tag: earlier.tag, nonce: nonce, signature: signature)
        }
        return ServerCustomerState(
            body: reply.body, tag: reply.response.headerFields[.eTag], nonce: nonce, signature: signature)
    }

    /// Requests the key that verifies the signatures of customer states. An app that relies on signatures contains the
    /// key of its server: a key from the server at hand proves nothing about that server.
    ///
    /// - Returns: Ed25519 public key, 32 bytes.
    /// - Throws: ``AppServerError``.
    public func publicKey() async throws(AppServerError) -> Data {
        try await session.client.send(ServerClient.Request(AppServerAPI.key)).key
    }
}
