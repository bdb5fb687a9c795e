package import Foundation
import VitrineCatalog
package import VitrineCatalogLoading

/// Somebody who publishes signed catalogs: what is changed is what the next one is like.
package struct CatalogPublisher: Sendable {
    package var app = "com.example.voyager"
    package var channel = "production"
    package var catalog: Data
    package var version = 12
    package var issued = CatalogPublisher.date
    package var expires = CatalogPublisher.date + 7 * 86_400
    /// What the catalog is signed with.
    package var signer = SigningKey.sample(2)
    /// What `keys.plist` is signed with.
    package var root = SigningKey.sample(1)
    /// What is in `keys.plist`.
    package var keys = CatalogKeys(
        keys: [
            CatalogKeys.Key(publicKey: SigningKey.sample(2).publicKey, expires: CatalogPublisher.date + 90 * 86_400)
        ],
        revoked: [], epoch: 1)
    package var keysVersion = 1
    package var keysIssued = CatalogPublisher.date
    package var keysExpires = CatalogPublisher.date + 365 * 86_400

    /// When the samples are issued.
    package static let date = TestClock().now

    package init(catalog: String = PlistText.document("<array><string>com.example.voyager.map</string></array>")) {
        self.catalog = Data(catalog.utf8)
    }

    /// What an app has pinned that believes this publisher.
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

    /// The files as a server has them.
    package func files() throws -> SignedCatalogFiles {
        let keysFile = keys.file
        return SignedCatalogFiles(
            catalog: catalog,
            signature: try signer.sign(catalog, trustedComment: statement.trustedComment(for: .catalog)).file,
            keys: keysFile,
            keysSignature: try root.sign(keysFile, trustedComment: keysStatement.trustedComment(for: .keys)).file)
    }

    /// Another publisher's files, made of this one's.
    package func changed(_ change: (inout CatalogPublisher) -> Void) -> CatalogPublisher {
        var changed = self
        change(&changed)
        return changed
    }
}

extension SigningKey {
    /// A key that is the same each time.
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
