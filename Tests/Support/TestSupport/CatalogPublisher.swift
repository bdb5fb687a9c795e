package import Foundation
import VitrineCatalog
package import VitrineCatalogLoading

/// Publisher of signed catalogs. Its properties determine the next signed files.
package struct CatalogPublisher: Sendable {
    package var app = "com.example.voyager"
    package var channel = "production"
    package var catalog: Data
    package var version = 12
    package var issued = CatalogPublisher.date
    package var expires = CatalogPublisher.date + 7 * 86_400
    /// Key that signs the catalog.
    package var signer = SigningKey.sample(2)
    /// Key that signs `keys.plist`.
    package var root = SigningKey.sample(1)
    /// Content of `keys.plist`.
    package var keys = CatalogKeys(
        keys: [
            CatalogKeys.Key(publicKey: SigningKey.sample(2).publicKey, expires: CatalogPublisher.date + 90 * 86_400)
        ],
        revoked: [], epoch: 1)
    package var keysVersion = 1
    package var keysIssued = CatalogPublisher.date
    package var keysExpires = CatalogPublisher.date + 365 * 86_400

    /// Issue date of the samples.
    package static let date = TestClock().now

    package init(catalog: String = PlistText.document("<array><string>com.example.voyager.map</string></array>")) {
        self.catalog = Data(catalog.utf8)
    }

    /// Returns the pinned roots of an app that trusts this publisher.
    package func trust(_ mode: CatalogTrust.Mode = .enforce) -> CatalogTrust {
        CatalogTrust(mode: mode, roots: [root.publicKey], app: app, channel: channel)
    }

    package var statement: CatalogStatement {
        CatalogStatement(
            app: app, channel: channel, version: version, issued: issued, expires: expires,
            keyIdentifier: signer.publicKey.identifierText, epoch: keys.epoch,
            goodUntil: ([expires, keysExpires] + keys.keys.filter { $0.publicKey == signer.publicKey }.map(\.expires))
                .min())
    }

    package var keysStatement: CatalogStatement {
        CatalogStatement(
            app: app, channel: channel, version: keysVersion, issued: keysIssued, expires: keysExpires,
            keyIdentifier: root.publicKey.identifierText)
    }

    /// Returns the files that a server publishes.
    package func files() throws -> SignedCatalogFiles {
        let keysFile = keys.file
        return SignedCatalogFiles(
            catalog: catalog,
            signature: try signer.sign(catalog, trustedComment: statement.trustedComment(for: .catalog)).file,
            keys: keysFile,
            keysSignature: try root.sign(keysFile, trustedComment: keysStatement.trustedComment(for: .keys)).file)
    }

    /// Returns a changed copy of this publisher.
    package func changed(_ change: (inout CatalogPublisher) -> Void) -> CatalogPublisher {
        var changed = self
        change(&changed)
        return changed
    }
}

extension SigningKey {
    /// Returns the key with a number, the same each time.
    package static func sample(_ number: UInt8) -> SigningKey {
        let der =
            [
                0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
            ] + [UInt8](repeating: number, count: 32)
        let pem = "-----BEGIN PRIVATE KEY-----\n\(Data(der).base64EncodedString())\n-----END PRIVATE KEY-----\n"
        do {
            return try SigningKey(pem: pem)
        } catch {
            preconditionFailure("any 32 bytes are a key: \(error)")
        }
    }
}
