import Crypto
package import Foundation
import SwiftASN1
import VitrineReceipts
package import X509

/// Xcode's store, which signs with one self-signed certificate.
package struct XcodeSigner: Sendable {
    private let key = P256.Signing.PrivateKey()
    package let certificate: Certificate

    /// Creates a signer.
    ///
    /// - Parameter validity: Dates at which the certificate is valid.
    package init(validity: ClosedRange<Date>) throws {
        let name = try DistinguishedName { CommonName("StoreKit Testing in Xcode") }
        certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            notValidBefore: validity.lowerBound, notValidAfter: validity.upperBound, issuer: name, subject: name,
            extensions: Certificate.Extensions(), issuerPrivateKey: .init(key))
    }

    /// The certificate, as Xcode saves it.
    package var der: Data {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return Data(serializer.serializedBytes)
        }
    }

    /// Signs a payload as a compact JWS.
    package func sign(_ payload: Data) throws -> String {
        let header = try JSONSerialization.data(withJSONObject: [
            "alg": "ES256", "kid": "Apple_Xcode_Key", "typ": "JWT", "x5c": [try der.base64EncodedString()],
        ])
        let input = "\(Self.segment(header)).\(Self.segment(payload))"
        return "\(input).\(Self.segment(try key.signature(for: Data(input.utf8)).rawRepresentation))"
    }

    /// Signs the payload of another compact JWS.
    package func sign(payloadOf token: String) throws -> String {
        let payload = token.split(separator: ".")[1]
        let base64 = payload.replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
        guard let data = Data(base64Encoded: base64 + padding) else { throw CocoaError(.coderInvalidValue) }
        return try sign(data)
    }

    /// Returns a segment of a compact JWS: base64url without padding, RFC 7515.
    private static func segment(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
