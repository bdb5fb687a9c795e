import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineHostedContent
import VitrineSupport
import VitrineTestSupport

/// Manifests without a digest in the catalog, which need a trusted signature.
@Suite(.hangLimit) struct WebSignatureTests {
    private static let archive = Data.random(1_000)
    private static let online = SigningKey.sample(2)

    private static func manifest(product: String = "rome", version: String = "2.0") -> ContentManifest {
        ContentManifest(
            productIdentifier: product, version: version,
            archive: .init(name: "rome.zip", length: archive.count, digest: archive.digestText),
            files: [
                .init(path: "Contents/guide.md", length: 1, digest: archive.digestText),
                .init(path: "ContentInfo.plist", length: 1, digest: archive.digestText),
            ])
    }

    private static func signature(
        of manifest: ContentManifest, by key: SigningKey = online, comment: String? = nil
    ) throws -> Data {
        try key.sign(Data(manifest.bytes()), trustedComment: comment ?? manifest.trustedComment()).file
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var served = manifest()
        /// Function that makes the signature; its result is `nil` for a manifest without one.
        let signature: @Sendable () throws -> Data?
        var signers = ContentSigners([online.publicKey])
        /// Expected reason for the refusal; `nil` if the archive is downloaded.
        let reason: String?
    }

    private static let cases = [
        Case(testDescription: "a good signature", signature: { try signature(of: manifest()) }, reason: nil),
        Case(
            testDescription: "one of two keys", signature: { try signature(of: manifest()) },
            signers: ContentSigners([SigningKey.sample(3).publicKey, online.publicKey]), reason: nil),
        Case(testDescription: "no signature", signature: { nil }, reason: "its signature could not be fetched: "),
        Case(
            testDescription: "another product's signature",
            signature: { try signature(of: manifest(product: "athens")) },
            reason: "the signed file does not match its signature by the key"),
        Case(
            testDescription: "an older version's signature", signature: { try signature(of: manifest(version: "1.0")) },
            reason: "the signed file does not match its signature by the key"),
        Case(
            testDescription: "an older version with its own signature", served: manifest(version: "1.0"),
            signature: { try signature(of: manifest(version: "1.0")) },
            reason: "the manifest is for the version 1.0, not for 2.0"),
        Case(
            testDescription: "signed for another product",
            signature: { try signature(of: manifest(), comment: manifest(product: "athens").trustedComment()) },
            reason: #"is "vitrine content product=athens version=2.0" instead of "#),
        Case(
            testDescription: "signed for an older version",
            signature: { try signature(of: manifest(), comment: manifest(version: "1.0").trustedComment()) },
            reason: #"is "vitrine content product=rome version=1.0" instead of "#),
        Case(
            testDescription: "signed as a catalog",
            signature: { try signature(of: manifest(), comment: "vitrine catalog app=rome") },
            reason: "the trusted comment of the signature is"),
        Case(
            testDescription: "a comment that was changed",
            signature: {
                let text = String(decoding: try signature(of: manifest(version: "2.1")), as: UTF8.self)
                return Data(text.replacing("version=2.1", with: "version=2.0").utf8)
            }, reason: "the signed file does not match its signature by the key"),
        Case(
            testDescription: "a bit that was turned",
            signature: {
                var file = String(decoding: try signature(of: manifest()), as: UTF8.self)
                let line = try #require(file.split(separator: "\n").dropFirst().first)
                var bytes = try #require(Data(base64Encoded: String(line)))
                bytes[40] ^= 1
                file.replace(line, with: bytes.base64EncodedString())
                return Data(file.utf8)
            }, reason: "the signed file does not match its signature by the key"),
        Case(
            testDescription: "an untrusted comment that was changed",
            signature: {
                let text = String(decoding: try signature(of: manifest()), as: UTF8.self)
                return Data(text.replacing("untrusted comment: signature", with: "untrusted comment: a").utf8)
            }, reason: "the untrusted comment of the signature is not"),
        Case(
            testDescription: "a key that is not trusted",
            signature: { try signature(of: manifest(), by: SigningKey.sample(3)) },
            reason: "which is not accepted"),
        Case(
            testDescription: "no keys", signature: { try signature(of: manifest()) },
            signers: .none(because: "no catalog is loaded"),
            reason: "which is not accepted: no catalog is loaded"),
        Case(
            testDescription: "no signature, but a page", signature: { Data("<html>".utf8) },
            reason: "a signature must have four lines"),
        Case(
            testDescription: "a version that no comment can name", served: manifest(version: "2 0"),
            signature: { Data() }, reason: "cannot be signed"),
    ]

    private func fetch(
        _ row: Case, digest: String? = nil, signers: ContentSigners?
    ) async throws -> (archive: Data?, error: ContentError?, asked: [String]) {
        let (bytes, signature) = (Data(try row.served.bytes()), try row.signature())
        let server = try await ContentServer { _, path in
            switch path {
            case "/rome.plist": ContentServer.File(bytes)
            case "/rome.plist.minisig": signature.map { ContentServer.File($0) }
            case "/rome.zip": ContentServer.File(Self.archive)
            default: nil
            }
        }
        let download = try WebDownload()
        let request = ContentRequest(
            productIdentifier: "rome", version: row.served.version == "2 0" ? "2 0" : "2.0",
            urls: [server.url.appending(path: "rome.plist")], digest: digest)
        var (archive, failure) = (Data?.none, ContentError?.none)
        do throws(ContentError) {
            let fetched = try await download.content(signers: signers).fetch(request, in: download.folder.url) { _ in }
            if case .archive(let url, _) = fetched { archive = try? Data(contentsOf: url) }
        } catch {
            failure = error
        }
        return (archive, failure, server.requests.map(\.path))
    }

    @Test(arguments: cases)
    func `a manifest without a known digest is accepted only with a trusted signature for its product and version`(
        _ row: Case
    ) async throws {
        let (archive, error, asked) = try await fetch(row, signers: row.signers)

        if let reason = row.reason {
            #expect(error?.code == .wrongContent)
            #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "it has come")")
            #expect(!asked.contains("/rome.zip"))
        } else {
            #expect(error == nil)
            #expect(archive == Self.archive)
            #expect(asked == ["/rome.plist", "/rome.plist.minisig", "/rome.zip"])
        }
    }

    @Test func `a manifest signature is not requested if the digest is known or if signatures are not required`()
        async throws
    {
        let row = Case(testDescription: "", signature: { nil }, reason: nil)
        let digest = Data(try row.served.bytes()).digestText
        for (digest, signers) in [(digest, ContentSigners?.some(row.signers)), (nil, nil)] {
            let (archive, error, asked) = try await fetch(row, digest: digest, signers: signers)
            #expect(error == nil)
            #expect(archive == Self.archive)
            #expect(asked == ["/rome.plist", "/rome.zip"])
        }
    }
}
