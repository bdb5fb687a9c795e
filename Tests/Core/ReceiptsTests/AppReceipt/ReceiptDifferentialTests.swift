import Foundation
import Testing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineReceipts

/// Runs `openssl`.
private struct OpenSSL {
    static let isThere = (try? run(["version"])) == 0

    static func run(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Verifies a container with OpenSSL.
    ///
    /// - Returns: The content of the container; `nil` if it is not signed under the root.
    static func content(of container: Data, root: String) throws -> Data? {
        let folder = try TemporaryFolder()
        try container.write(to: folder["receipt"])
        try folder.write(root, to: "root")
        let status = try run([
            "cms", "-verify", "-inform", "DER", "-in", folder["receipt"].path(), "-CAfile", folder["root"].path(),
            "-no_check_time", "-purpose", "any", "-binary", "-out", folder["content"].path(),
        ])
        return status == 0 ? try Data(contentsOf: folder["content"]) : nil
    }
}

/// Containers that OpenSSL verifies with the same result.
@Suite(.blocksThreads, .hangLimit, .enabled(if: OpenSSL.isThere, "openssl is not installed"))
struct ReceiptDifferentialTests {
    @Test func `OpenSSL accepts our signed receipts under their own root only`() throws {
        let data = try ReceiptSigningIdentity.sample.sign(.sample(), deviceIdentifier: .device)
        let content = try CMSSignedData(Array(data)).content

        #expect(try OpenSSL.content(of: data, root: ReceiptSigningIdentity.sample.rootPEM) == Data(content))
        #expect(try OpenSSL.content(of: data, root: ReceiptSigningIdentity.other.rootPEM) == nil)
    }

    @Test(arguments: [CMSSignedData.Digest.sha1, .sha256])
    func `OpenSSL reads the DER and BER forms of a receipt container`(digest: CMSSignedData.Digest) throws {
        let chain = try ForgedChain()
        let payload = try AppReceipt.sample().hashed(for: .device).payload()
        let container = try ForgedContainer(content: payload, chain: chain, digest: digest)

        for data in [try container.der(), try container.ber(chunk: 100)] {
            #expect(try OpenSSL.content(of: data, root: chain.rootPEM) == Data(payload))
            #expect(try CMSSignedData(Array(data)).hasValidSignature())
        }
    }

    @Test(arguments: CorpusReceipt.receipts)
    func `OpenSSL extracts the same signed content from a real receipt`(sample: CorpusReceipt) throws {
        let isXcode = sample.expected.certs == 1
        let root = CorpusReceipt.pem(
            try CorpusReceipt.file("certs/\(isXcode ? "StoreKitTestCertificate" : "AppleIncRootCertificate").cer"))
        let bytes = try ReceiptData.container(in: sample.data)

        #expect(try OpenSSL.content(of: Data(bytes), root: root) == Data(CMSSignedData(bytes).content))
    }

    @Test(arguments: CorpusReceipt.all.filter { !$0.expected.isReceipt })
    func `OpenSSL finds no signed content in corpus files that are not receipts`(sample: CorpusReceipt) throws {
        let root = CorpusReceipt.pem(try CorpusReceipt.file("certs/AppleIncRootCertificate.cer"))

        #expect(try OpenSSL.content(of: sample.data, root: root) == nil)
    }

    @Test func `a changed receipt that still verifies has the original content, also according to OpenSSL`()
        async throws
    {
        let data = try ReceiptSigningIdentity.sample.sign(.sample(purchases: []), deviceIdentifier: .device)
        let root = try ReceiptSigningIdentity.sample.rootPEM
        let content = try CMSSignedData(Array(data)).content
        let verifier = AppReceiptVerifier(
            roots: try TrustedRoots(pem: root), bundleIdentifier: "com.example.app", environment: .sandbox,
            deviceIdentifier: nil)
        var generator = SeededGenerator(seed: 9)
        var count = 0
        for index in data.indices.shuffled(using: &generator) where count < 20 {
            var changed = data
            changed[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            guard await verifier.verify(receipt: changed).value != nil else { continue }
            // OpenSSL looks into the copy of the root, too, which nothing depends on: it may refuse to read that.
            guard let found = try OpenSSL.content(of: changed, root: root) else { continue }
            count += 1
            #expect(found == Data(content), "byte \(index)")
        }
        #expect(count == 20)
    }
}
