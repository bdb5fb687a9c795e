internal import Crypto
package import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Message that a device signs with its key to prove its identity.
package enum DeviceProof {
    /// Validity of a challenge in seconds.
    static let validity: TimeInterval = 60

    /// Returns the bytes to be signed by a device.
    ///
    /// - Parameters:
    ///   - purpose: `enroll` and the name of the app, or `token` and the identifier of the device, separated by a
    ///     space.
    ///   - challenge: Challenge from the server.
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
    /// Returns a challenge that a device must sign within a minute. The server does not store it, but recognizes it by
    /// its authentication code.
    package func challenge() -> String {
        let text = "\(now.milliseconds).\(options.randomBytes(16).hexadecimal)"
        return "\(text).\(secrets.code(for: "challenge \(text)"))"
    }

    /// Checks that a device has signed a challenge from this server.
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
