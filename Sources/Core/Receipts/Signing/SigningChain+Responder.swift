internal import Crypto
internal import Foundation
internal import X509

extension SigningChain {
    /// Address of the OCSP responder in the leaf and intermediate certificates; `nil` if they contain none, or
    /// different ones.
    var responder: URL? {
        let addresses = Set(certificates.dropLast().map(\.responder))
        guard addresses.count == 1, let address = addresses.first ?? nil else { return nil }
        return URL(string: address)
    }

    /// Returns the chain with new certificates of leaf and intermediate that name an OCSP responder.
    func naming(responder: URL, issuerKeys: IssuerKeys) throws -> SigningChain {
        SigningChain(certificates: [
            try certificates[0].naming(responder: responder, issuerKey: issuerKeys.intermediate),
            try certificates[1].naming(responder: responder, issuerKey: issuerKeys.root),
            certificates[2],
        ])
    }
}

extension Certificate {
    fileprivate var responder: String? {
        // An unreadable extension is treated as missing.
        let information = (try? extensions.authorityInformationAccess) ?? AuthorityInformationAccess()
        return information.lazy.compactMap { entry in
            guard entry.method == .ocspServer, case .uniformResourceIdentifier(let address) = entry.location else {
                return nil
            }
            return address
        }.first
    }

    /// Issues the certificate again, with a new serial number and the address of an OCSP responder (RFC 5280, section
    /// 4.2.2.1).
    fileprivate func naming(responder: URL, issuerKey: P384.Signing.PrivateKey) throws -> Certificate {
        var extensions = extensions
        let information = AuthorityInformationAccess([
            .init(method: .ocspServer, location: .uniformResourceIdentifier(responder.absoluteString))
        ])
        extensions.update(try Certificate.Extension(information, critical: false))
        return try Certificate(
            version: version, serialNumber: SerialNumber(), publicKey: publicKey, notValidBefore: notValidBefore,
            notValidAfter: notValidAfter, issuer: issuer, subject: subject, extensions: extensions,
            issuerPrivateKey: PrivateKey(issuerKey))
    }
}
