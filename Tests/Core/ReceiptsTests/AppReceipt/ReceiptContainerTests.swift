import Foundation
import SwiftASN1
import Testing
import VitrineSupport
import VitrineTestSupport

@testable import VitrineReceipts

/// Valid and invalid PKCS#7 containers of receipts.
@Suite(.hangLimit) struct ReceiptContainerTests {
    private let chain: ForgedChain
    private let verifier: AppReceiptVerifier

    init() throws {
        chain = try ForgedChain()
        verifier = AppReceiptVerifier(
            roots: try TrustedRoots(pem: chain.rootPEM), bundleIdentifier: "com.example.app", environment: .sandbox,
            deviceIdentifier: .device, now: { .sample })
    }

    private func codes(_ data: Data) async -> [RejectionReason.Code] { await verifier.verify(receipt: data).codes }

    private func codes(
        _ change: (inout ForgedContainer) throws -> Void
    ) async throws -> [RejectionReason.Code] {
        var container = try ForgedContainer(chain: chain)
        try change(&container)
        return await codes(try container.der())
    }

    // MARK: Forms

    @Test(arguments: [1, 7, 100, 100_000])
    func `a receipt container with indefinite lengths and chunked content is read like its DER form`(chunk: Int)
        async throws
    {
        let container = try ForgedContainer(chain: chain)
        let (der, ber) = (try container.der(), try container.ber(chunk: chunk))

        #expect(await codes(ber) == [])
        #expect(try AppReceipt(unverified: ber) == AppReceipt(unverified: der))
    }

    @Test func `a receipt in base64 may contain white space, and is refused with any other extra character`()
        async throws
    {
        let der = try ForgedContainer(chain: chain).der()
        let text = der.base64EncodedString()
        let half = text.index(text.startIndex, offsetBy: text.count / 2)
        let (head, tail) = (text[..<half], text[half...])

        for good in [text, "\n \(text)\t\r\n", head + "\r\n" + tail] {
            #expect(await codes(Data(good.utf8)) == [], "\(good.prefix(8).debugDescription)")
        }
        let bad = [
            "=" + text, text + "=", text + "AA", head + "-" + tail, head + "\u{0}" + tail, "\u{FEFF}" + text,
            text.replacing("=", with: "") + "!", "data:;base64," + text,
        ]
        for bad in bad {
            #expect(await codes(Data(bad.utf8)) == [.malformed], "\(bad.prefix(8).debugDescription)")
        }
        #expect(await codes(der + [0]) == [.malformed])
        #expect(await codes(Data(der.base64EncodedString().utf8) + Data("\n".utf8) + der) == [.malformed])
    }

    @Test func `a receipt in base64 with nonzero unused bits is refused`() async throws {
        // Two bytes end in a character of which four bits are used.
        #expect(await codes(Data("MAA=".utf8)) == [.malformed])
        let reasons = try #require(throws: RejectionReason.self) { try AppReceipt(unverified: Data("MAB=".utf8)) }
        #expect(reasons.reason == "the data is neither a PKCS#7 container nor base64 of one")
    }

    @Test(
        arguments: [
            ("nothing", "", "the data is neither a PKCS#7 container nor base64 of one"),
            ("spaces", " \n", "the data is neither a PKCS#7 container nor base64 of one"),
            ("words", "no receipt", "the data is neither a PKCS#7 container nor base64 of one"),
            ("base64 of words", "bm8gcmVjZWlwdA==", "the data is base64, but not of a PKCS#7 container"),
            ("an empty sequence", "MAA=", "the data is not a PKCS#7 container of signed data"),
            (
                "a transaction's receipt", "{\n\t\"purchase-info\" = \"ew==\";\n}",
                "the data is a transaction receipt from before iOS 7, not an app receipt"
            ),
            (
                "a transaction's receipt in base64", "ewoicHVyY2hhc2UtaW5mbyIgPSAiZXc9PSI7Cn0K",
                "the data is a transaction receipt from before iOS 7, not an app receipt"
            ),
            (
                "Unity's envelope", #"{"Store":"AppleAppStore","TransactionID":"1","Payload":"MIIT"}"#,
                "the data is Unity's JSON, which contains the store's data as Payload, not an app receipt"
            ),
            ("JSON", #" {"receipt": {}}"#, "the data is JSON or a property list, not an app receipt"),
        ]
    )
    func `data that is not an app receipt is refused with a reason that identifies its format`(
        id: String, text: String, detail: String
    ) async throws {
        let data = Data(text.utf8)
        #expect(await codes(data) == [.malformed])
        let reason = try #require(throws: RejectionReason.self) { try AppReceipt(unverified: data) }
        #expect(reason.reason == detail)
        #expect(throws: RejectionReason.self) { try ReceiptSignature(unverified: data) }
    }

    // MARK: Signers and algorithms

    @Test func `a receipt with no signer or two signers is refused`() async throws {
        #expect(try await codes { $0.signers = [] } == [.malformed])
        #expect(try await codes { $0.signers.append($0.signers[0]) } == [.malformed])
    }

    @Test func `a receipt whose signer certificate is missing or duplicated is refused`() async throws {
        #expect(try await codes { $0.certificates.removeFirst() } == [.malformed])
        #expect(try await codes { $0.certificates.removeAll() } == [.malformed])
        #expect(try await codes { $0.certificates.append($0.certificates[0]) } == [.malformed])
    }

    @Test func `a receipt with a SHA-1 signature is accepted, as the App Store used SHA-1 until 2023`() async throws {
        let payload = try AppReceipt.sample().hashed(for: .device).payload()
        var container = try ForgedContainer(content: payload, chain: chain, digest: .sha1)

        #expect(await codes(try container.der()) == [])
        #expect(try ReceiptSignature(unverified: container.der()).digestAlgorithm == "SHA-1")
        container.signers[0].signatureAlgorithm = .sha1WithRSAEncryption
        #expect(await codes(try container.der()) == [])
    }

    @Test func `a receipt's signature algorithm, if it includes a digest, must match the signer's digest algorithm`()
        async throws
    {
        #expect(try await codes { $0.signers[0].signatureAlgorithm = .sha256WithRSAEncryption } == [])
        #expect(try await codes { $0.signers[0].signatureAlgorithm = .sha1WithRSAEncryption } == [.algorithm])
    }

    @Test(
        arguments: [
            ("MD5", [1, 2, 840, 113549, 2, 5]), ("SHA-512", [2, 16, 840, 1, 101, 3, 4, 2, 3]),
        ] as [(String, ASN1ObjectIdentifier)]
    )
    func `a receipt with a digest algorithm other than SHA-1 and SHA-256 is refused`(
        name: String, digest: ASN1ObjectIdentifier
    )
        async throws
    {
        let codes = try await codes { container in
            container.digestAlgorithms = [digest]
            container.signers[0].digestAlgorithm = digest
        }
        #expect(codes == [.algorithm])
    }

    @Test(
        arguments: [
            ("RSASSA-PSS", [1, 2, 840, 113549, 1, 1, 10]), ("ECDSA with SHA-256", [1, 2, 840, 10045, 4, 3, 2]),
        ] as [(String, ASN1ObjectIdentifier)]
    )
    func `RSASSA-PSS and ECDSA signatures of a receipt are refused`(name: String, algorithm: ASN1ObjectIdentifier)
        async throws
    {
        #expect(try await codes { $0.signers[0].signatureAlgorithm = algorithm } == [.algorithm])
    }

    @Test func `a receipt whose digest algorithm does not match its signature is refused`() async throws {
        let codes = try await codes { container in
            container.digestAlgorithms = [.sha1]
            container.signers[0].digestAlgorithm = .sha1
        }
        #expect(codes == [.signature])
        #expect(try await self.codes { $0.digestAlgorithms = [.sha1] } == [.malformed])
        #expect(try await self.codes { $0.digestAlgorithms = [] } == [.malformed])
        #expect(try await self.codes { $0.digestAlgorithms = [.sha256, .sha1] } == [.malformed])
    }

    @Test func `a receipt with signed attributes is refused, and unsigned attributes are ignored`() async throws {
        #expect(try await codes { $0.signers[0].signsAttributes = true } == [.malformed])
        #expect(try await codes { $0.signers[0].hasUnsignedAttributes = true } == [])
    }

    @Test func `a receipt container with another version or content type is refused`() async throws {
        #expect(try await codes { $0.signers[0].version = 3 } == [.malformed])
        #expect(try await codes { $0.contentType = .signedData } == [.malformed])
    }

    // MARK: Content

    @Test
    func `a receipt with a wrong signature is refused, and errors in its content are reported too`()
        async throws
    {
        let other = try AppReceipt.sample(bundle: "com.example.other").hashed(for: .device).payload()

        #expect(try await codes { $0.content = other } == [.signature, .bundleIdentifier])
        #expect(try await codes { $0.content = [] } == [.signature, .payload])
        #expect(try await codes { $0.signers[0].signature = Data() } == [.signature])
        #expect(try await codes { $0.signers[0].signature.append(0) } == [.signature])
    }

    @Test func `a receipt's digest algorithm, certificate subjects and validity dates are read without verification`()
        throws
    {
        let signature = try ReceiptSignature(unverified: try ForgedContainer(chain: chain).der())

        #expect(signature.digestAlgorithm == "SHA-256")
        #expect(signature.certificates.map(\.subject) == ["Leaf", "Intermediate", "Root"])
        #expect(signature.certificates.allSatisfy { $0.notValidBefore == .sample - 1_000 })
        #expect(signature.certificates.allSatisfy { $0.notValidAfter == .sample + 1_000 })
    }
}
