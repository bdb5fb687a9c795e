import Testing
import VitrinePurchasing
import VitrineSupport

struct FailurePhraseTests {
    @Test(arguments: FailurePhrase.languages) func `each language has a sentence for each failure`(language: String) {
        let texts = FailurePhrase.allCases.map { $0.text(for: [language]) }
        for text in texts { #expect(text.last.map { ".。".contains($0) } ?? false, "\(text)") }
        #expect(Set(texts).count == texts.count)
    }

    @Test func `the sentence about a failure is in the language of the customer, or else in English`() {
        let code = PurchaseFailureCode.notAllowed
        #expect(code.customerText(for: ["de-AT"]) == "Auf diesem Gerät sind keine Käufe erlaubt.")
        #expect(code.customerText(for: ["el", "fr"]) == "Les achats ne sont pas autorisés sur cet appareil.")
        #expect(code.customerText(for: ["el"]) == "Purchases are not allowed on this device.")
        #expect(StoreErrorCode.notAllowed.customerText(for: ["el"]) == code.customerText(for: ["el"]))
    }

    @Test func `only failures without a charge have the sentence that nothing was charged`() {
        let free = "That did not work, and you have not been charged. Try again later."
        let codes = PurchaseFailureCode.allCases.filter { $0.customerText(for: ["en"]) == free }
        #expect(Set(codes) == [.invalidQuantity, .store, .withinHook])
    }
}
