package import Foundation

/// Server that sends content only to devices whose customers own its product. The transport of the content's requests
/// sends the credential of the device.
package protocol ProtectedContentServer: Sendable {
    /// Returns `true` for an address on this server.
    func has(_ url: URL) -> Bool

    /// Checks that the server has a file, which it need not send to this device yet.
    ///
    /// - Throws: ``ContentError``: `server` if the server has no such file or would not send it to an owner on this
    ///   device, `network` if it cannot answer now.
    func checkPresence(of url: URL) async throws(ContentError)

    /// Returns an address of a file at which no credential is needed for a while, for transfers that send none.
    ///
    /// - Throws: ``ContentError``.
    func link(to url: URL) async throws(ContentError) -> URL
}
