import Foundation
import SwiftASN1
import Testing
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport
import X509

@testable import VitrineReceipts

/// Forged receipts, and receipts that attack their reader.
@Suite(.hangLimit) struct HostileReceiptTests {
    private let signed: Data
    private let verifier: AppReceiptVerifier

    init() throws {
        let purchase = ReceiptPurchase.sample()
        signed = try ReceiptSigningIdentity.sample.sign(.sample(purchases: [purchase]), deviceIdentifier: .device)
        verifier = AppReceiptVerifier(
            roots: try TrustedRoots(pem: ReceiptSigningIdentity.sample.rootPEM), bundleIdentifier: "com.example.app",
            environment: .sandbox, deviceIdentifier: .device, now: { .sample })
    }

    private func codes(_ data: Data) async -> [RejectionReason.Code] { await verifier.verify(receipt: data).codes }

    /// Returns the ranges of the bytes that the verification covers: the content, the signature, and the certificates
    /// except the root. The header of the signature is left out, because its number of unused bits may differ if the
    /// last bits are zero.
    private func trustedRanges() throws -> [Range<Int>] {
        let container = try CMSSignedData(Array(signed))
        let certificates = try container.certificates.prefix(2).flatMap { certificate in
            let der = try certificate.serializeAsPEM().derBytes
            guard case .constructed(let parts) = try DER.parse(der).content else { return [Data]() }
            return [Data(try #require(parts.first { _ in true }).encodedBytes), Data(der.suffix(256))]
        }
        #expect(certificates.count == 4)
        return try (certificates + [Data(container.content), signed.suffix(256)]).map {
            try #require(signed.range(of: $0))
        }
    }

    @Test func `a receipt with a flipped bit never verifies with changed values`() async throws {
        let receipt = try #require(await verifier.verify(receipt: signed).value?.receipt)
        let ranges = try trustedRanges()
        // All bits take a minute: without RECEIPT_FLIPS=all it is one of each byte, another from one to the next.
        let bits = ProcessInfo.processInfo.environment["RECEIPT_FLIPS"] == "all" ? Array(0..<8) : [0]
        for index in signed.indices {
            for bit in bits {
                var flipped = signed
                flipped[index] ^= 1 << UInt8((index + bit) % 8)
                let value = await verifier.verify(receipt: flipped).value
                if ranges.contains(where: { $0.contains(index) }) {
                    #expect(value == nil, "byte \(index), bit \((index + bit) % 8)")
                } else {
                    #expect(value == nil || value?.receipt == receipt, "byte \(index), bit \((index + bit) % 8)")
                }
            }
        }
    }

    @Test func `a receipt truncated at any byte is refused`() async {
        for count in signed.indices {
            #expect(await codes(signed.prefix(count)) == [.malformed], "\(count) bytes")
        }
    }

    @Test func `a truncated receipt in base64 is refused`() async {
        let text = signed.base64EncodedData()
        for count in stride(from: 0, to: text.count, by: 5) {
            #expect(await codes(text.prefix(count)) == [.malformed], "\(count) characters")
        }
    }

    @Test(
        arguments: [
            ("four gigabytes reported", [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF]),
            ("as much as an integer can say", [0x30, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            ("more than that", [0x30, 0x88, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            ("nine bytes of length", [0x30, 0x89, 0x01, 0, 0, 0, 0, 0, 0, 0, 0]),
            ("a length that is cut off", [0x30, 0x84, 0xFF]), ("a reserved length", [0x30, 0xFF]),
            ("a sequence without length", [0x30]), ("an end without a beginning", [0x30, 0x80, 0x00]),
            ("a tag without end", [0x30, 0x80] + [UInt8](repeating: 0xFF, count: 100)),
            ("a string of indefinite length", [0x30, 0x80, 0x04, 0x80, 0x00, 0x00, 0x00, 0x00]),
        ] as [(String, [UInt8])]
    )
    func `a receipt with an invalid DER length is refused`(id: String, bytes: [UInt8]) async {
        #expect(await codes(Data(bytes)) == [.malformed])
        #expect(await codes(Data(bytes).base64EncodedData()) == [.malformed])
    }

    @Test(
        arguments: [
            ("open sequences", [0x30, 0x30], [0x30, 0x80]), ("open octet strings", [0x30, 0x80], [0x24, 0x80]),
            ("open tags", [0x30, 0x80], [0xA0, 0x80]),
        ] as [(String, [UInt8], [UInt8])])
    func `a receipt with deeply nested or unterminated values is refused`(
        id: String, start: [UInt8], opening: [UInt8]
    ) async {
        #expect(await codes(Data(start).nested(opening)) == [.malformed])
    }

    @Test func `a receipt with a null in an unterminated sequence is refused`() async {
        #expect(await codes(Data([0x30, 0x80, 0x05, 0x00])) == [.malformed])
    }

    @Test func `a receipt with more than 100000 values is refused`() async throws {
        let null: [UInt8] = [0x05, 0x00]
        let data = Data([0x30, 0x80] + [UInt8](Array(repeating: null, count: 5_000_000).joined()) + [0x00, 0x00])
        let reason = try #require(throws: RejectionReason.self) { try AppReceipt(unverified: data) }

        #expect(reason.code == .malformed)
        #expect(reason.reason == "the receipt has more than 100000 values")
        let payload = [UInt8](data.dropFirst(2).dropLast(2))
        #expect(throws: RejectionReason.self) { try AppReceipt(payload: ([0x31, 0x80] + payload + [0, 0])[...]) }
    }

    @Test func `a receipt of 13 MiB is refused`() async {
        #expect(await codes(Data(repeating: 0x30, count: 13 * 1024 * 1024)) == [.malformed])
        #expect(await codes(Data(repeating: 0x41, count: 13 * 1024 * 1024)) == [.malformed])
    }

    @Test func `a receipt with an oversized certificate or too many certificates is refused`() async throws {
        let large = try ForgedChain.alone(name: String(repeating: "a", count: 17_000)).certificates
        let many = try (0..<6).map { _ in try ForgedChain.alone().certificates[0] }

        for (others, detail) in [
            (large, "the PKCS#7 container has a certificate of more than 16384 bytes"),
            (many, "the PKCS#7 container has more than 8 certificates"),
        ] {
            var container = try ForgedContainer(chain: ForgedChain())
            container.certificates += others
            let reason = try #require(throws: RejectionReason.self) { try AppReceipt(unverified: container.der()) }
            #expect(reason.reason == detail)
        }
    }

    @Test func `a receipt with ten thousand purchases is read`() async throws {
        let purchases = (0..<10_000).map { ReceiptPurchase.sample(id: 1_000_000 + $0) }
        let data = try ReceiptSigningIdentity.sample.sign(.sample(purchases: purchases), deviceIdentifier: .device)
        let receipt = try #require(await verifier.verify(receipt: data).value?.receipt)

        #expect(receipt.purchases.map(\.transactionID) == purchases.map(\.transactionID))
    }

    @Test func `a receipt with random changes never verifies with other values and never causes a crash`() async throws
    {
        let receipt = try #require(await verifier.verify(receipt: signed).value?.receipt)
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<500 {
            var changed = signed
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = changed.indices.randomElement(using: &generator) ?? 0
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: changed[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: changed.remove(at: index)
                default: changed.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                }
            }
            let value = await verifier.verify(receipt: changed).value
            #expect(value == nil || value?.receipt == receipt)
        }
    }
}

extension Data {
    /// Returns the data followed by a hundred thousand copies of a header.
    fileprivate func nested(_ header: [UInt8]) -> Data {
        self + Data(Array(repeating: header, count: 100_000).joined())
    }
}
