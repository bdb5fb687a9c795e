import Crypto
import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineCatalog
@testable import VitrineCatalogLoading

@Suite(.blocksThreads, .hangLimit) struct SigningKeyTests {
    @Test func `a signing key is unchanged after it was written and read`() throws {
        let key = SigningKey()

        #expect(try SigningKey(pem: key.pem).pem == key.pem)
        #expect(try SigningKey(pem: key.pem).publicKey == key.publicKey)
    }

    @Test func `two generated signing keys are different`() {
        #expect(SigningKey().publicKey != SigningKey().publicKey)
    }

    /// The secret key and the public key of the first test of RFC 8032, section 7.1.
    @Test func `a signing key has the public key of RFC 8032's test vector, and a hash prefix as its identifier`()
        throws
    {
        let seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
        let der = try #require(Data(hexadecimal: "302e020100300506032b657004220420" + seed))
        let pem = "-----BEGIN PRIVATE KEY-----\n\(der.base64EncodedString())\n-----END PRIVATE KEY-----\n"
        let publicKey = try SigningKey(pem: pem).publicKey

        let expected = Data(hexadecimal: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
        #expect(publicKey.key == expected)
        #expect(publicKey.identifier == Data(SHA256.hash(data: publicKey.key)).prefix(8))
    }

    @Test(arguments: [
        "", "-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----\n",
        SigningKey.sample(2).pem.replacing("PRIVATE", with: "PUBLIC"),
        SigningKey.sample(2).pem.replacing("MC4C", with: "MC4D"), SigningKey.sample(2).pem + "\n",
        SigningKey.sample(2).pem + SigningKey.sample(2).pem, "untrusted comment: minisign encrypted secret key\nRWQ=\n",
    ]) func `text that is not a signing key is refused`(pem: String) {
        #expect(throws: CatalogSignatureFailure(.malformed, "the text is not an Ed25519 key in PEM (PKCS #8)")) {
            try SigningKey(pem: pem)
        }
    }

    @Test(.enabled(if: PeerTool.openSSL.isInstalled, "openssl is not installed"))
    func `OpenSSL reads signing keys of this library, and this library reads keys of OpenSSL`() throws {
        let folder = try TemporaryFolder()
        let path = folder["key"].path(percentEncoded: false)
        let key = SigningKey.sample(2)
        try folder.write(key.pem, to: "key")
        #expect(try PeerTool.openSSL.run("pkey", "-in", path).output == key.pem)

        let made = try PeerTool.openSSL.run("genpkey", "-algorithm", "ed25519").output
        let read = try SigningKey(pem: made)
        try folder.write(made, to: "key")
        let spki = try PeerTool.openSSL.run("pkey", "-in", path, "-pubout").output.split(separator: "\n")
        let line = try #require(spki.dropFirst().first)
        let der = try #require(Data(base64Encoded: String(line)))
        #expect(der.suffix(32) == read.publicKey.key)
    }
}

extension Data {
    fileprivate init?(hexadecimal text: String) {
        var bytes = Data()
        var rest = text[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        self = bytes
    }
}
