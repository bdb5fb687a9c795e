import Foundation
import Testing
import VitrineSupport
import VitrineTestSupport

@testable import VitrineCatalog
@testable import VitrineCatalogLoading

/// Signatures that minisign verifies or has made.
@Suite(
    .blocksThreads, .hangLimit, .enabled(if: PeerTool.minisign.isInstalled, "minisign is not installed"))
struct MinisignPeerTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func path(_ name: String) -> String { folder[name].path(percentEncoded: false) }

    private func makeKey() throws -> MinisignPublicKey {
        #expect(try PeerTool.minisign.run("-G", "-W", "-p", path("key.pub"), "-s", path("key.sec")).status == 0)
        return try MinisignPublicKey(String(contentsOf: folder["key.pub"], encoding: .utf8))
    }

    @Test func `minisign accepts signatures of this library and shows their trusted comments`() throws {
        let publisher = CatalogPublisher()
        let files = try publisher.files()
        try files.catalog.write(to: folder["catalog.plist"])
        try files.signature.write(to: folder["catalog.plist.minisig"])
        try folder.write(publisher.signer.publicKey.file, to: "key.pub")

        let result = try PeerTool.minisign.run("-V", "-Q", "-p", path("key.pub"), "-m", path("catalog.plist"))

        #expect(result.status == 0)
        #expect(result.output == publisher.statement.trustedComment(for: .catalog) + "\n")
    }

    @Test func `a catalog signed by minisign is valid`() async throws {
        let online = try makeKey()
        var publisher = CatalogPublisher()
        publisher.keys = CatalogKeys(
            keys: [.init(publicKey: online, expires: publisher.issued + 86_400)], revoked: [], epoch: 1)
        var files = try publisher.files()
        try files.catalog.write(to: folder["catalog.plist"])
        let comment = publisher.statement.trustedComment(for: .catalog)
        #expect(
            try PeerTool.minisign.run(
                "-S", "-l", "-s", path("key.sec"), "-m", path("catalog.plist"), "-t", comment
            ).status == 0)
        files.signature = try Data(contentsOf: folder["catalog.plist.minisig"])
        var expected = publisher.statement
        expected.keyIdentifier = online.identifierText
        expected.goodUntil = publisher.issued + 86_400

        let verifier = CatalogVerifier(trust: publisher.trust(), numbers: MemoryNumbers())
        #expect(await verifier.verify(files, at: publisher.issued) == .valid(expected))
    }

    @Test func `a prehashed signature made by minisign is refused with an error code of its own`() throws {
        _ = try makeKey()
        try folder.write("signed", to: "file")
        #expect(try PeerTool.minisign.run("-S", "-s", path("key.sec"), "-m", path("file")).status == 0)

        let signature = try Data(contentsOf: folder["file.minisig"])
        let failure = #expect(throws: CatalogSignatureFailure.self) { try MinisignSignature(signature) }
        #expect(failure?.code == .prehashed)
    }

    @Test func `minisign and this library both refuse changed signatures`() throws {
        let signer = SigningKey.sample(2)
        try folder.write(signer.publicKey.file, to: "key.pub")
        let file = Data("signed".utf8)
        let good = try signer.sign(file, trustedComment: "abc").file
        var generator = SeededGenerator(seed: 7)
        // The untrusted comment, which minisign lets anyone change, ends before byte 57.
        for index in (57..<good.count).shuffled(using: &generator).prefix(40) {
            var changed = good
            changed[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            try file.write(to: folder["file"])
            try changed.write(to: folder["file.minisig"])
            let isAccepted = try PeerTool.minisign.run("-V", "-p", path("key.pub"), "-m", path("file")).status == 0
            let isAcceptedByUs =
                (try? MinisignSignature(changed).check(file, by: signer.publicKey)) != nil
            #expect(!isAcceptedByUs, "byte \(index)")
            #expect(!isAccepted, "byte \(index)")
        }
    }
}
