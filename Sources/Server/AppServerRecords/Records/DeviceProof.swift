internal import Crypto
package import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Proof of a device's identity: the message that it signs with its key.
package enum DeviceProof {
    /// Time for which a challenge is valid, in seconds.
    static let validity: TimeInterval = 60

    /// Returns the bytes that a device signs.
    ///
    /// - Parameters:
    ///   - purpose: `enroll` and the name of the app, or `token` and the identifier of the device, separated by a space.
    ///   - challenge: Challenge of the server.
    package static func message(_ purpose: String, challenge: String) -> Data {
        Data("vitrine-device\n\(purpose)\n\(challenge)".utf8)
    }

    static func isSigned(_ signature: Data, _ purpose: String, challenge: String, by key: Data) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: key),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: message(purpose, challenge: challenge))
    }
}

extension CustomerRecords {
    /// Returns a challenge, which a device signs within a minute. The server stores nothing: it recognizes the challenge
    /// by its code.
    package func challenge() -> String {
        let text = "\(now.milliseconds).\(options.randomBytes(16).hexadecimal)"
        return "\(text).\(secrets.code(for: "challenge \(text)"))"
    }

    /// Checks that a device has signed a challenge of this server.
    ///
    /// - Throws: ``CustomerError`` `unauthenticated`.
    func checkProof(
        _ signature: Data, of purpose: String, challenge: String, by key: Data
    ) throws(CustomerError) {
        let parts = challenge.split(separator: ".", omittingEmptySubsequences: false)
        guard challenge.utf8.count < 200, parts.count == 3, let time = Int64(parts[0]),
            secrets.isCode(String(parts[2]), for: "challenge \(parts[0]).\(parts[1])"),
            abs(now.timeIntervalSince(Date(milliseconds: time))) <= DeviceProof.validity
        else {
            throw CustomerError(code: .unauthenticated, reason: "the challenge is not of this server, or has ended")
        }
        guard DeviceProof.isSigned(signature, purpose, challenge: challenge, by: key) else {
            throw CustomerError(code: .unauthenticated, reason: "the challenge is not signed with the device's key")
        }
    }
}
