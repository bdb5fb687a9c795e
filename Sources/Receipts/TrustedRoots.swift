internal import SwiftASN1
package import X509

/// The root certificates that signed data must lead to.
public struct TrustedRoots: Sendable {
    package let certificates: [Certificate]

    /// Reads one or more certificates in PEM.
    ///
    /// - Throws: `TrustedRootsError` where the text holds no certificate, or something that is none.
    public init(pem: String) throws(TrustedRootsError) {
        do {
            certificates = try PEMDocument.parseMultiple(pemString: pem).map { try Certificate(pemDocument: $0) }
        } catch {
            throw TrustedRootsError(reason: "not a certificate in PEM: \(error)")
        }
        guard !certificates.isEmpty else { throw TrustedRootsError(reason: "there is no certificate in the text") }
    }

    /// No root: nothing can be verified.
    public static let none = TrustedRoots(certificates: [])

    private init(certificates: [Certificate]) { self.certificates = certificates }
}

/// Why a text cannot be used as trusted roots.
public struct TrustedRootsError: Error, Sendable, Hashable, CustomStringConvertible {
    public let reason: String

    public var description: String { reason }
}
