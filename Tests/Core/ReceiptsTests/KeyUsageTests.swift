import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

/// Use of keys that certificates permit, and the date of signatures.
struct KeyUsageTests {
    struct Usage: Sendable, CustomTestStringConvertible {
        let id: String
        let leaf: [TestChain.KeyUse]
        let intermediate: [TestChain.KeyUse]
        let isAccepted: Bool

        var testDescription: String { id }
    }

    static let usages = [
        Usage(id: "as the store's", leaf: [.signsData], intermediate: [.signsCertificates], isAccepted: true),
        Usage(
            id: "an intermediate that signs data only", leaf: [.signsData], intermediate: [.signsData],
            isAccepted: false),
        Usage(
            id: "a leaf that signs certificates only", leaf: [.signsCertificates], intermediate: [.signsCertificates],
            isAccepted: false),
        Usage(id: "certificates without a statement about use", leaf: [], intermediate: [], isAccepted: true),
    ]

    @Test(arguments: usages) func `certificates prove only what their key usage permits`(_ usage: Usage) async throws {
        let chain = try TestChain {
            $0.leafUse = usage.leaf
            $0.intermediateUse = usage.intermediate
        }
        let verification = try await chain.verifier().verify(transaction: chain.token(TransactionPayload.sample()))
        switch verification {
        case .verified: #expect(usage.isAccepted)
        case .rejected(let reasons):
            #expect(!usage.isAccepted)
            #expect(reasons.map(\.code) == [.certificateChain])
        case .undetermined(let reason): Issue.record("\(reason)")
        }
    }

    @Test(arguments: [(86_399.0, true), (86_401, false)])
    func `a server takes data that is dated more than a day ahead for undetermined, and a device accepts it`(
        lead: TimeInterval, isAccepted: Bool
    ) async throws {
        let chain = try TestChain { shape in
            shape.validity = shape.validity.map { ($0.lowerBound - 100_000)...($0.upperBound + 100_000) }
        }
        let token = try chain.token(TransactionPayload.sample())
        let now = TransactionPayload.sample().signedDate - lead
        let server = SignedDataVerifier(
            roots: try chain.roots, bundleIdentifier: "com.example.app", environment: .sandbox, lead: 86_400,
            now: { now })
        switch await server.verify(transaction: token) {
        case .verified: #expect(isAccepted)
        case .undetermined(let reason):
            #expect(!isAccepted)
            #expect(reason.hasPrefix("the data is signed at "))
        case .rejected(let reasons): Issue.record("\(reasons)")
        }
        guard case .verified = try await chain.verifier(now: now).verify(transaction: token) else {
            Issue.record("the device does not accept the transaction")
            return
        }
    }
}
