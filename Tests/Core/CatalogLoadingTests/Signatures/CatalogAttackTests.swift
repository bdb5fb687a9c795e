import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineTestSupport

/// Attacks by a false server, or with a stolen key for catalogs.
@Suite(.hangLimit) struct CatalogAttackTests {
    let publisher = CatalogPublisher()
    let numbers = MemoryNumbers()
    var date: Date { CatalogPublisher.date }

    func verify(_ publisher: CatalogPublisher, at date: Date = CatalogPublisher.date) async throws
        -> CatalogSignature
    {
        try await verify(publisher.files(), at: date)
    }

    func verify(_ files: SignedCatalogFiles, at date: Date = CatalogPublisher.date) async -> CatalogSignature {
        await CatalogVerifier(trust: publisher.trust(), numbers: numbers).verify(files, at: date)
    }

    /// Verifies a catalog, and records its version as seen by the app.
    func recordSeenVersions(of publisher: CatalogPublisher, at date: Date = CatalogPublisher.date) async throws {
        let verifier = CatalogVerifier(trust: publisher.trust(), numbers: numbers)
        #expect(await verifier.verify(try publisher.files(), at: date) == .valid(publisher.statement))
        #expect(await verifier.record(publisher.statement) == .valid(publisher.statement))
    }

    @Test func `a valid catalog is accepted repeatedly, and its second verification records nothing`() async throws {
        try await recordSeenVersions(of: publisher)
        let raises = await numbers.raises
        try await recordSeenVersions(of: publisher)

        #expect(await numbers.raises == raises)
    }

    @Test func `a catalog with the signature of a different catalog is refused`() async throws {
        var files = try publisher.files()
        files.catalog = Data(PlistText.document("<array><string>com.example.voyager.free</string></array>").utf8)

        #expect(await verify(files).failureCode == .signature)
    }

    @Test func `a catalog signed with an attacker's key is refused`() async throws {
        let stranger = publisher.changed { $0.signer = .sample(9) }

        #expect(try await verify(stranger).failureCode == .unknownKey)
    }

    @Test func `a keys file signed with an attacker's root key is refused`() async throws {
        let stranger = publisher.changed {
            $0.root = .sample(8)
            $0.signer = .sample(9)
            $0.keys = CatalogKeys(
                keys: [.init(publicKey: SigningKey.sample(9).publicKey, expires: date + 86_400)], revoked: [], epoch: 1)
        }

        #expect(try await verify(stranger).failureCode == .unknownRoot)
    }

    @Test func `a forged signature with the identifier of a trusted key is refused`() async throws {
        let files = try publisher.changed { $0.signer = .sample(9) }.files()
        let forged = try files.signature.withKeyIdentifier(of: publisher.signer.publicKey)

        #expect(
            await verify(
                SignedCatalogFiles(
                    catalog: files.catalog, signature: forged, keys: files.keys, keysSignature: files.keysSignature)
            ).failureCode == .signature)
    }

    @Test func `a keys file with the signature of a different keys file is refused`() async throws {
        var files = try publisher.files()
        files.keys = publisher.changed { $0.keys = CatalogKeys(keys: [], revoked: [], epoch: 2) }.keys.file

        #expect(await verify(files).failureCode == .keysSignature)
    }

    @Test func `a signature with the trusted comment of another signature is refused`() async throws {
        var files = try publisher.files()
        let newer = try publisher.changed { $0.version = 13 }.files()
        files.signature = Data(
            try zip(files.signature.textLines, newer.signature.textLines).enumerated()
                .map { $0.offset == 2 ? $0.element.1 : $0.element.0 }.joined(separator: "\n").utf8)

        #expect(await verify(files).failureCode == .comment)
    }

    @Test func `a new catalog version with the signature of the old version is refused`() async throws {
        var files = try publisher.changed {
            $0.catalog += Data("\n".utf8)
            $0.version = 13
        }.files()
        files.signature = try publisher.files().signature

        #expect(await verify(files).failureCode == .signature)
    }

    @Test func `a catalog with the keys file of another release channel is refused`() async throws {
        let beta = try publisher.changed { $0.channel = "beta" }.files()
        var files = try publisher.files()
        (files.keys, files.keysSignature) = (beta.keys, beta.keysSignature)

        let signature = await verify(files)
        #expect(signature.failureCode == .channel)
        #expect(
            signature.failureReason
                == "keys.plist: the file is signed for the channel beta, but the app uses production")
    }

    @Test func `a catalog signed for another release channel is refused`() async throws {
        let beta = try publisher.changed { $0.channel = "beta" }.files()
        var files = try publisher.files()
        (files.catalog, files.signature) = (beta.catalog, beta.signature)

        #expect(
            await verify(files).failureReason
                == "the catalog's signature: the file is signed for the channel beta, but the app uses production")
    }

    @Test func `a catalog signed for another app is refused`() async throws {
        let other = try publisher.changed { $0.app = "com.example.other" }.files()
        var files = try publisher.files()
        (files.catalog, files.signature) = (other.catalog, other.signature)

        #expect(await verify(files).failureCode == .app)
        #expect(await verify(other).failureCode == .app)
    }

    @Test func `a signature of a keys file is not accepted for a catalog`() async throws {
        var files = try publisher.files()
        files.signature = try publisher.signer.sign(
            files.catalog, trustedComment: publisher.statement.trustedComment(for: .keys)
        ).file

        #expect(await verify(files).failureCode == .statement)
    }

    @Test func `a signature of a catalog is not accepted for a keys file`() async throws {
        var files = try publisher.files()
        files.keysSignature = try publisher.root.sign(
            files.keys, trustedComment: publisher.keysStatement.trustedComment(for: .catalog)
        ).file

        #expect(await verify(files).failureCode == .statement)
    }

    @Test func `a keys file signed with a catalog signing key instead of a root key is refused`() async throws {
        #expect(try await verify(publisher.changed { $0.root = $0.signer }).failureCode == .unknownRoot)
    }

    @Test func `a catalog's verification is undetermined if the record of seen versions cannot be read or written`()
        async throws
    {
        let obstacle = "the record of the catalogs seen before is unavailable: the disk is full"
        let verifier = CatalogVerifier(trust: publisher.trust(), numbers: numbers)
        await numbers.setWritable(false)
        #expect(try await verify(publisher) == .undetermined(obstacle))
        #expect(await verifier.record(publisher.statement) == .undetermined(obstacle))
        await numbers.setReadable(false)
        #expect(try await verify(publisher) == .undetermined(obstacle))
    }

    @Test func `a forged catalog is refused even if the record of seen versions cannot be read`() async throws {
        await numbers.setReadable(false)

        #expect(try await verify(publisher.changed { $0.signer = .sample(9) }).failureCode == .unknownKey)
    }
}
