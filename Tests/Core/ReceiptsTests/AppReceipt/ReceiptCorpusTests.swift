import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

/// Receipts of real apps, compared with the results of another reader.
@Suite(.hangLimit, .enabled(if: CorpusReceipt.isHere, "the corpus of real files is not here"))
struct ReceiptCorpusTests {
    @Test(arguments: CorpusReceipt.receipts)
    func `a real receipt's fields equal the values that another library reads`(sample: CorpusReceipt) throws {
        let (receipt, expected) = (try AppReceipt(unverified: sample.data), sample.expected)

        #expect(receipt.type.rawValue == expected.environment)
        #expect(receipt.bundleIdentifier == expected.bundle_id)
        #expect(receipt.applicationVersion == expected.app_version)
        #expect(receipt.originalApplicationVersion == expected.original_app_version)
        #expect(receipt.opaqueValue == Data(hex: expected.opaque ?? ""))
        #expect(receipt.deviceHash == Data(hex: expected.sha1 ?? ""))
        #expect(try receipt.creationDate == CorpusReceipt.date(expected.creation_date ?? ""))
        #expect(try receipt.expirationDate == CorpusReceipt.date(expected.expiration_date ?? ""))
        #expect(Set(receipt.attributes.map(\.type)) == Set(expected.attr_types ?? []))
        let types = receipt.purchases.flatMap(\.attributes).map(\.type)
        #expect(Set(types) == Set(expected.iap_attr_types ?? []))
    }

    @Test(arguments: CorpusReceipt.receipts)
    func `a real receipt's purchases equal the values that another library reads`(sample: CorpusReceipt) throws {
        let purchases = try AppReceipt(unverified: sample.data).purchases
        let expected = sample.expected.in_app ?? []

        #expect(purchases.count == expected.count)
        for (purchase, expected) in zip(purchases, expected) {
            #expect(purchase.quantity == expected.quantity)
            #expect(purchase.productIdentifier == expected.product_id)
            #expect(purchase.transactionID == expected.transaction_id)
            #expect(purchase.originalTransactionID == expected.original_transaction_id)
            #expect(try purchase.purchaseDate == CorpusReceipt.date(expected.purchase_date))
            #expect(try purchase.originalPurchaseDate == CorpusReceipt.date(expected.original_purchase_date ?? ""))
            #expect(try purchase.expirationDate == CorpusReceipt.date(expected.expires_date ?? ""))
            #expect(try purchase.cancellationDate == CorpusReceipt.date(expected.cancellation_date ?? ""))
            #expect(purchase.productType?.rawValue == expected.type)
            #expect(purchase.webOrderLineItemID == expected.web_order_line_item_id)
            #expect(purchase.isTrialPeriod == expected.trial.map { $0 != 0 })
            #expect(purchase.isIntroductoryOfferPeriod == expected.is_intro_offer.map { $0 != 0 })
        }
    }

    @Test(arguments: CorpusReceipt.receipts)
    func `a real receipt is verified if its certificates were valid at its creation date`(sample: CorpusReceipt)
        async throws
    {
        let verification = try await sample.verifier(roots: CorpusReceipt.roots).verify(receipt: sample.data)

        #expect(verification.codes == [])
        #expect(try verification.value?.receipt == AppReceipt(unverified: sample.data))
        #expect(verification.value?.data == Data(try ReceiptData.container(in: sample.data)))
    }

    @Test(arguments: CorpusReceipt.receipts)
    func `Apple's roots verify real App Store receipts, and do not verify receipts signed by Xcode`(
        sample: CorpusReceipt
    ) async throws {
        let isXcode = sample.expected.certs == 1
        let codes = try await sample.verifier(roots: .apple).verify(receipt: sample.data).codes

        #expect(codes == (isXcode ? [.certificateChain] : []))
    }

    @Test(arguments: CorpusReceipt.receipts)
    func `a real App Store receipt is refused if its expired certificates must be currently valid`(
        sample: CorpusReceipt
    ) async throws {
        let today = try #require(try CorpusReceipt.date("2026-11-01T00:00:00Z"))
        let codes = try await sample.verifier(roots: CorpusReceipt.roots, validity: .current, now: today)
            .verify(receipt: sample.data).codes

        #expect(codes == (sample.expected.certs == 1 ? [] : [.certificateValidity]))
    }

    @Test(arguments: CorpusReceipt.receipts)
    func `a real receipt is refused under an unrelated root and without roots`(sample: CorpusReceipt) async throws {
        let stranger = try ReceiptSigningIdentity.sample.rootPEM

        for roots in [try TrustedRoots(pem: stranger), try TrustedRoots(xcodeData: Data(stranger.utf8)), .none] {
            let codes = try await sample.verifier(roots: roots).verify(receipt: sample.data).codes
            #expect(codes == [.certificateChain])
        }
    }

    @Test func `a root certificate with a short key is refused`() throws {
        let root = CorpusReceipt.pem(try CorpusReceipt.file("certs/frank4dd-cacert.der"))

        #expect(throws: SignedDataError.self) { try TrustedRoots(pem: root) }
    }

    @Test(arguments: CorpusReceipt.receipts)
    func `a real receipt is refused for another device`(sample: CorpusReceipt) async throws {
        let codes = try await sample.verifier(roots: CorpusReceipt.roots, device: Data(count: 16))
            .verify(receipt: sample.data).codes

        #expect(codes == [.device])
    }

    @Test func `a real receipt matches the response of Apple's server for it`() throws {
        let answer = try JSONDecoder().decode(
            ServerAnswer.self, from: CorpusReceipt.file("RevenueCat/verifyReceiptSample1.json")
        ).receipt
        let receipt = try AppReceipt(unverified: CorpusReceipt.file("RevenueCat/base64encodedreceiptsample1.txt"))
        func milliseconds(_ date: Date?) -> String? { date.map { String(Int64($0.timeIntervalSince1970 * 1_000)) } }

        #expect(receipt.type.rawValue == answer.receipt_type)
        #expect(receipt.appIdentifier == answer.app_item_id)
        #expect(receipt.bundleIdentifier == answer.bundle_id)
        #expect(receipt.applicationVersion == answer.application_version)
        #expect(receipt.originalApplicationVersion == answer.original_application_version)
        #expect(milliseconds(receipt.creationDate) == answer.receipt_creation_date_ms)
        #expect(milliseconds(receipt.originalPurchaseDate) == answer.original_purchase_date_ms)
        let purchases = receipt.purchases.map { purchase in
            ServerAnswer.Purchase(
                quantity: String(purchase.quantity), product_id: purchase.productIdentifier,
                transaction_id: purchase.transactionID, original_transaction_id: purchase.originalTransactionID,
                purchase_date_ms: milliseconds(purchase.purchaseDate),
                original_purchase_date_ms: milliseconds(purchase.originalPurchaseDate),
                expires_date_ms: milliseconds(purchase.expirationDate),
                web_order_line_item_id: purchase.webOrderLineItemID.map(String.init),
                is_trial_period: purchase.isTrialPeriod.map(String.init),
                is_in_intro_offer_period: purchase.isIntroductoryOfferPeriod.map(String.init))
        }
        #expect(purchases.count == 9)
        #expect(Set(purchases) == Set(answer.in_app))
    }

    @Test func `the receipt corpus has device identifiers for exactly three receipts`() {
        #expect(CorpusReceipt.receipts.count { $0.expected.guid_hex != nil } == 3)
    }

    @Test(arguments: CorpusReceipt.all.filter { !$0.expected.isReceipt })
    func `a corpus file that is not a receipt is refused`(sample: CorpusReceipt) async throws {
        let verifier = AppReceiptVerifier(
            roots: try CorpusReceipt.roots, bundleIdentifier: "com.example.app", environment: .production,
            deviceIdentifier: nil)
        let codes = await verifier.verify(receipt: sample.data).codes

        #expect(!codes.isEmpty)
    }
}

/// Response of Apple's server about a receipt, with the fields that the receipt contains too.
private struct ServerAnswer: Decodable {
    struct Receipt: Decodable {
        let receipt_type: String
        let app_item_id: Int64
        let bundle_id: String
        let application_version: String
        let original_application_version: String
        let receipt_creation_date_ms: String
        let original_purchase_date_ms: String
        let in_app: [Purchase]
    }

    struct Purchase: Decodable, Hashable {
        let quantity: String
        let product_id: String
        let transaction_id: String
        let original_transaction_id: String?
        let purchase_date_ms: String?
        let original_purchase_date_ms: String?
        let expires_date_ms: String?
        let web_order_line_item_id: String?
        let is_trial_period: String?
        let is_in_intro_offer_period: String?
    }

    let receipt: Receipt
}
