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
    ///   - purpose: `enroll` and the name of the app; or `token`, `invite` or `remove` and the identifier of a device;
    ///     separated by a space.
    ///   - challenge: Challenge from the server.
    ///   - values: Values of the request that the signature covers, `nil` for a missing one. The message contains the
    ///     SHA-256 digest of each in hexadecimal.
    package static func message(_ purpose: String, challenge: String, covering values: [String?] = []) -> Data {
        let digests = values.map { value in value.map { SHA256.hash(data: Data($0.utf8)).hexadecimal } ?? "" }
        return Data((["vitrine-device", purpose, challenge] + digests).joined(separator: "\n").utf8)
    }

    static func isSigned(_ signature: Data, _ message: Data, by key: Data) -> Bool {
        guard let key = try? P256.Signing.PublicKey(x963Representation: key),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
        else { return false }
        return key.isValidSignature(signature, for: message)
    }
}

extension CustomerRecords {
    /// Time for which the server knows that a challenge was used, in seconds. It exceeds the validity of a challenge by
    /// the largest difference that the clocks of servers with one database may have.
    private static let memoryOfChallenges: TimeInterval = 3_600

    /// Returns a challenge that a device must sign within a minute. The server does not store it, but recognizes it by
    /// its authentication code.
    package func challenge() -> String {
        let text = "\(now.milliseconds).\(options.randomBytes(16).hexadecimal)"
        return "\(text).\(secrets.code(for: "challenge \(text)"))"
    }

    /// Checks that a device has signed a challenge from this server, and that the challenge is used for the first time.
    ///
    /// - Parameter values: Values of the request that the signature covers.
    /// - Throws: ``CustomerError`` `unauthenticated`.
    func checkProof(
        _ signature: Data, of purpose: String, challenge: String, covering values: [String?] = [], by key: Data
    ) async throws(CustomerError) {
        let parts = challenge.split(separator: ".", omittingEmptySubsequences: false)
        guard challenge.utf8.count < 200, parts.count == 3, let time = Int64(parts[0]),
            secrets.isCode(String(parts[2]), for: "challenge \(parts[0]).\(parts[1])"),
            abs(now.timeIntervalSince(Date(milliseconds: time))) <= DeviceProof.validity
        else {
            throw CustomerError(code: .unauthenticated, reason: "the challenge is not of this server, or has ended")
        }
        let message = DeviceProof.message(purpose, challenge: challenge, covering: values)
        guard DeviceProof.isSigned(signature, message, by: key) else {
            throw CustomerError(
                code: .unauthenticated, reason: "the challenge and the request are not signed with the device's key")
        }
        let changes = try await write([
            SQLStatement(
                "INSERT INTO used_challenge (value, until) VALUES ($1, $2) ON CONFLICT (value) DO NOTHING",
                .text(challenge), .integer((now + Self.memoryOfChallenges).milliseconds)),
            SQLStatement("DELETE FROM used_challenge WHERE until < $1", .integer(now.milliseconds)),
        ])
        guard changes.first == 1 else {
            throw CustomerError(code: .unauthenticated, reason: "the challenge was used before")
        }
    }
}
