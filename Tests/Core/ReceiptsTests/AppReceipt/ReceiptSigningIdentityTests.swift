import Foundation
import SwiftASN1
import Testing
import VitrineTestSupport
import X509

@testable import VitrineReceipts

@Suite(.hangLimit) struct ReceiptSigningIdentityTests {
    @Test func `a signed receipt is read back with the same values and a device hash`() async throws {
        let receipt = AppReceipt.sample()
        let data = try ReceiptSigningIdentity.sample.sign(receipt, deviceIdentifier: .device)
        let read = try AppReceipt(unverified: data)

        #expect(read.withoutAttributes == receipt.withoutAttributes)
        #expect(read.deviceHash.count == 20)
        #expect(Set(read.attributes.map(\.type)) == [0, 1, 2, 3, 4, 5, 10, 12, 17, 18, 19])
        #expect(read.attributes.first { $0.type == 4 }?.version == 2)
    }

    @Test func `unknown attributes are retained when a receipt is signed, and known fields are not duplicated`() throws
    {
        let unknown = [
            ReceiptAttribute(type: 6, value: Data([1, 2, 3])), ReceiptAttribute(type: 6, value: Data([4])),
            ReceiptAttribute(type: 30_000, version: 3, value: Data()),
        ]
        var purchase = ReceiptPurchase.sample()
        purchase.attributes = [ReceiptAttribute(type: 1_718, value: Data([5, 0]))]
        let receipt = AppReceipt.sample(purchases: [purchase], attributes: unknown)
        let first = try AppReceipt(
            unverified: ReceiptSigningIdentity.sample.sign(receipt, deviceIdentifier: .device))
        let second = try AppReceipt(
            unverified: ReceiptSigningIdentity.sample.sign(first, deviceIdentifier: .device))

        #expect(Set(first.attributes).isSuperset(of: unknown))
        #expect(first.purchases[0].attributes.contains(purchase.attributes[0]))
        #expect(second == first)
    }

    @Test func `a receipt signing identity restored from PEM signs under the same root`() async throws {
        let identity = ReceiptSigningIdentity.sample
        let stored = try ReceiptSigningIdentity(pem: identity.pem)

        #expect(try stored.rootPEM == identity.rootPEM)
        #expect(
            try stored.sign(.sample(), deviceIdentifier: .device)
                == identity.sign(.sample(), deviceIdentifier: .device))
    }

    @Test func `a text that is not a receipt signing identity is refused`() throws {
        let pem = try ReceiptSigningIdentity.sample.pem
        let root = try ReceiptSigningIdentity.sample.rootPEM

        for text in ["", "hello", root, pem + root, String(pem.dropLast(40))] {
            #expect(throws: (any Error).self) { try ReceiptSigningIdentity(pem: text) }
        }
    }

    @Test func `the receipt signing certificates have the structure of the App Store's certificates`() throws {
        let data = try ReceiptSigningIdentity.sample.sign(.sample(), deviceIdentifier: .device)
        let container = try CMSSignedData(Array(data))
        let (leaf, intermediate, root) = (
            container.certificates[0], container.certificates[1], container.certificates[2]
        )

        #expect(container.certificates.count == 3)
        #expect(container.signer == leaf)
        #expect(container.digest == .sha256)
        #expect(leaf.issuer == intermediate.subject)
        #expect(intermediate.issuer == root.subject)
        #expect(root.issuer == root.subject)
        #expect(leaf.extensions[oid: AppleMarkerOIDs.leaf] != nil)
        #expect(intermediate.extensions[oid: AppleMarkerOIDs.intermediate] != nil)
        for certificate in container.certificates {
            #expect(certificate.signatureAlgorithm == .sha256WithRSAEncryption)
            #expect(try certificate.extensions.subjectKeyIdentifier != nil)
            #expect(try certificate.extensions.authorityKeyIdentifier != nil)
        }
    }

    @Test func `a receipt with values that the receipt reader would refuse is not signed`() throws {
        var noUnits = ReceiptPurchase.sample()
        noUnits.quantity = 0
        var farFuture = AppReceipt.sample()
        farFuture.creationDate = Date(timeIntervalSince1970: 1e12)
        let impossible = [
            AppReceipt.sample(bundle: ""), .sample(bundle: "com.example\u{0}.app"), .sample(purchases: [noUnits]),
            farFuture,
        ]

        for receipt in impossible {
            #expect(throws: RejectionReason.self) {
                try ReceiptSigningIdentity.sample.sign(receipt, deviceIdentifier: .device)
            }
        }
    }
}

extension AppReceipt {
    /// Copy of the receipt without the values that are set only when it is encoded.
    fileprivate var withoutAttributes: AppReceipt {
        var receipt = self
        receipt.attributes = []
        receipt.deviceHash = Data()
        for index in receipt.purchases.indices { receipt.purchases[index].attributes = [] }
        // The order of a set is its own.
        receipt.purchases.sort { $0.transactionID < $1.transactionID }
        return receipt
    }
}
