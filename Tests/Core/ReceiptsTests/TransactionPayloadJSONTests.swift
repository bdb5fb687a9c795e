import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineReceipts

/// JSON of a transaction, as a simulated store signs it.
@Suite(.hangLimit) struct TransactionPayloadJSONTests {
    enum Sample: CaseIterable {
        case requiredFields, allFields, controlCharacters, quotationMarks, otherAlphabets, emptyTexts
        case fractionsOfMilliseconds, datesBefore1970

        var payload: TransactionPayload {
            var payload = TransactionPayload.sample()
            switch self {
            case .requiredFields: (payload.storefront, payload.price, payload.currency) = (nil, nil, nil)
            case .allFields: payload = .complete
            case .controlCharacters:
                payload.productIdentifier = String(decoding: Array(0...0x20), as: UTF8.self)
                payload.offerIdentifier = "\u{7F}\u{80}\u{2028}"
            case .quotationMarks: payload.productIdentifier = #"/"\""\\/'"#
            case .otherAlphabets: payload.productIdentifier = "café, кофе, 咖啡, ☕️, e\u{301}"
            case .emptyTexts: (payload.productIdentifier, payload.currency) = ("", "")
            case .fractionsOfMilliseconds:
                payload.purchaseDate = Date(timeIntervalSince1970: 1_790_000_000.000_49)
                payload.signedDate = Date(timeIntervalSince1970: 1_790_000_000.000_51)
            case .datesBefore1970: payload.originalPurchaseDate = Date(timeIntervalSince1970: -1.5)
            }
            return payload
        }
    }

    @Test(arguments: Sample.allCases)
    func `the JSON of a transaction has the bytes that JSONEncoder writes`(sample: Sample) throws {
        let payload = sample.payload

        #expect(try payload.json() == JSONEncoder.storeDates.encode(payload))
    }

    @Test func `each property of a transaction is a field of its JSON`() throws {
        let properties = Mirror(reflecting: TransactionPayload.complete).children
        let fields = try JSONDecoder().decode([String: JSONValue].self, from: TransactionPayload.complete.json())

        #expect(properties.allSatisfy { "\($0.value)" != "nil" })
        #expect(fields.count == properties.count)
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300])
    func `a transaction with a date that is out of range has no JSON`(seconds: Double) {
        var payload = TransactionPayload.sample()
        payload.expiresDate = Date(timeIntervalSince1970: seconds)

        #expect(throws: EncodingError.self) { try payload.json() }
        #expect(throws: EncodingError.self) { try JSONEncoder.storeDates.encode(payload) }
    }
}

extension TransactionPayload {
    /// Transaction with a value for each property.
    fileprivate static var complete: TransactionPayload {
        var payload = sample()
        payload.revocationDate = .sample
        payload.expiresDate = .sample
        payload.isUpgraded = true
        payload.ownershipType = .familyShared
        payload.appAccountToken = UUID()
        payload.webOrderLineItemID = "87"
        payload.subscriptionGroupIdentifier = "club"
        payload.reason = .renewal
        payload.storefrontID = "143441"
        payload.offerType = .winBack
        payload.offerIdentifier = "again"
        payload.offerDiscountType = OfferDiscountType(rawValue: "FREE_TRIAL")
        payload.offerPeriod = "P1M"
        payload.revocationReason = .other
        payload.revocationType = RevocationType(rawValue: "REFUND_PRORATED")
        payload.revocationPercentage = 50_000
        payload.appTransactionID = "700000000000000001"
        payload.billingPlanType = .monthly
        payload.deviceVerification = "AAAA+/=="
        payload.deviceVerificationNonce = "0b0b0b0b-0000-4000-8000-000000000000"
        return payload
    }
}
