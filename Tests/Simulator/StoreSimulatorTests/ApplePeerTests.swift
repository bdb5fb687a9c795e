import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Differential tests against Apple's own library, which trusts the store's root certificate.
@Suite(
    .blocksThreads, .hangLimit,
    .enabled(if: ApplePeer.isInstalled, "Scripts/peers has not installed Apple's library"))
struct ApplePeerTests {
    private struct Question: Encodable {
        struct Case: Encodable {
            let kind, token: String
        }
        let root, bundle, environment: String
        let cases: [Case]
    }

    private let voyager: VoyagerStore

    init() throws { voyager = try VoyagerStore() }

    private func verdicts(
        _ cases: [Question.Case], root: String? = nil, bundle: String = VoyagerStore.bundleIdentifier,
        environment: String = "Sandbox"
    ) throws -> [String] {
        let lines = (try root ?? voyager.store.rootCertificate).split(separator: "\n")
        return try ApplePeer.ask(
            "verify",
            Question(
                root: lines.filter { !$0.hasPrefix("-----") }.joined(), bundle: bundle, environment: environment,
                cases: cases))
    }

    private func signed() async throws -> [Question.Case] {
        func bought(_ name: String, _ options: PurchaseOptions = PurchaseOptions()) async throws -> StoreTransaction {
            guard case .purchased(let transaction) = try await voyager.store.purchase(.voyager(name), options: options)
            else { throw StoreError(code: .unavailable, reason: "not purchased") }
            return transaction
        }
        let guide = try await bought("lisbon")
        let coins = try await bought("coins50", PurchaseOptions(quantity: 3, accountToken: UUID()))
        voyager.clock.advance(by: 3_600)
        _ = try await voyager.store.refund(guide.id)
        let unfinished = try await voyager.store.unfinishedTransactions()
        try await voyager.store.setOriginalPurchase(
            OriginalPurchase(version: "1", date: voyager.clock.now, platform: .iOS))
        let app = try #require(try await voyager.store.appTransaction())
        return [guide, coins].map { Question.Case(kind: "transaction", token: $0.signedData) }
            + unfinished.map { Question.Case(kind: "transaction", token: $0.signedData) }
            + [Question.Case(kind: "appTransaction", token: app)]
    }

    @Test func `Apple's library verifies the store's signed purchases, refund and app transaction`() async throws {
        let cases = try await signed()
        #expect(cases.count >= 4)
        #expect(try verdicts(cases) == Array(repeating: "OK", count: cases.count))
    }

    @Test func `Apple's library rejects signed data under another root certificate or for another app`() async throws {
        let cases = try await signed()
        let other = try VoyagerStore().store.rootCertificate
        #expect(
            try verdicts(cases, root: other) == Array(repeating: "VERIFICATION_FAILURE", count: cases.count))
        #expect(
            try verdicts(cases, bundle: "com.example.other")
                == Array(repeating: "INVALID_APP_IDENTIFIER", count: cases.count))
    }
}
