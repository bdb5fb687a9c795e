import Foundation
import Testing
import Vitrine
import VitrineHostedContent
import VitrineSupport

@testable import VitrinePurchasing
@testable import VitrineShopContent

struct ShopMessageTests {
    private static let unreachable = StoreError(code: .network, reason: "the store does not answer")

    struct Row: Sendable, CustomTestStringConvertible {
        let id: String
        let answer: PurchaseAnswer
        /// Text of the message; `nil` if there is none.
        let text: String?
        var isFailure = false

        var testDescription: String { id }
    }

    static let rows = [
        Row(id: "canceled", answer: .cancelled, text: nil),
        Row(
            id: "canceled, as an error", answer: .failed(PurchaseFailure(code: .cancelled, reason: "canceled")),
            text: nil),
        Row(
            id: "not allowed", answer: .failed(PurchaseFailure(code: .notAllowed, reason: "a restriction")),
            text: "Purchases are not allowed on this device.", isFailure: true),
        Row(
            id: "no network", answer: .failed(PurchaseFailure(unanswered: unreachable)),
            text: "The store cannot be reached at the moment. Try again later.", isFailure: true),
        Row(id: "Ask to Buy", answer: .pending(.askToBuy), text: "Waiting for approval"),
        Row(
            id: "interrupted", answer: .pending(.interrupted),
            text: "The purchase is not complete: the store needs something from you first."),
        Row(
            id: "change of plan", answer: .pending(.planChange(at: Date(timeIntervalSince1970: 1_894_665_600))),
            text: "Starts on Jan 15, 2030"),
        Row(
            id: "outcome unknown", answer: .pending(.outcomeUnknown(unreachable)),
            text: "It is not certain yet whether you have been charged. Check your purchases before you buy again.",
            isFailure: true),
        Row(
            id: "not verified yet", answer: .pending(.verification("no network")),
            text: "You have paid, and your purchase will arrive soon."),
    ]

    @Test(arguments: rows) func `the message to a customer follows from the answer to a purchase`(row: Row) {
        let message = ShopMessage(row.answer, phrases: ShopPhrases(languages: ["en-US"], timeZone: .gmt))
        #expect(message?.text == row.text && message?.isFailure ?? false == row.isFailure)
    }

    @Test func `the message to a customer follows from the result of a restore`() {
        let phrases = ShopPhrases(languages: ["en"])
        var result = RestoreResult()
        func text() -> String { ShopMessage(result, phrases: phrases).text }
        #expect(text() == "There are no purchases to restore.")
        result.ended = ["pass"]
        #expect(text() == "There are no purchases to restore.")
        result.alreadyOwned = ["map"]
        #expect(text() == "You already have everything that you have bought.")
        result.restored = ["guide"]
        #expect(text() == "Your purchases have been restored.")
    }

    @Test func `a download that the customer has stopped has no message`() {
        let phrases = ShopPhrases(languages: ["en"])
        func text(_ code: OwnedContentErrorCode) -> String? {
            ShopMessage(download: OwnedContentError(code: code, reason: "it has ended"), phrases: phrases)?.text
        }
        #expect(text(.stopped) == nil)
        #expect(text(.unavailable) == "The download has failed.")
        let unpaused = ShopMessage(download: ContentError(code: .storage, reason: "it has ended"), phrases: phrases)
        #expect(unpaused.text == "The download has failed.")
    }

    @Test func `the message about an error is in the language of the shop`() {
        let german = ShopMessage(Self.unreachable, phrases: ShopPhrases(languages: ["de"]))
        #expect(german.text == "Der Store ist zurzeit nicht erreichbar. Versuche es später erneut." && german.isFailure)
        // What only developers can read of is a failure to the customer.
        let other = ShopMessage(
            ContentError(code: .notFound, reason: "the server answered 404"), phrases: ShopPhrases(languages: ["de"]))
        #expect(other.text.hasPrefix("Das hat nicht funktioniert"))
    }
}
