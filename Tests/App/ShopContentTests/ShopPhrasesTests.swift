import Foundation
import Testing
import VitrineShopContent

struct ShopPhrasesTests {
    @Test(arguments: ShopPhrases.languages) func `each language has all phrases of the shop with their placeholders`(
        language: String
    ) {
        let (phrases, english) = (ShopPhrases(languages: [language]), ShopPhrases(languages: ["en"]))
        #expect(phrases.language == language)
        for phrase in ShopPhrase.allCases {
            #expect(!phrases[phrase].isEmpty, "\(phrase)")
            let placeholders = [phrases, english].map { $0[phrase].matches(of: /\{[a-z]+\}/).map { String($0.output) } }
            #expect(placeholders[0] == placeholders[1], "\(phrase)")
        }
    }

    /// Phrases that have to differ, because a customer who reads the one for the other would be misled.
    private static let opposites: [[ShopPhrase]] = [
        [.owned, .refunded, .waitingForApproval, .delivering, .buying, .unavailable, .sharedByFamily],
        [.subscribe, .subscribed, .upgrade, .changePlan], [.renews, .until, .starts, .expired],
        [.download, .downloading, .downloadPaused, .downloadFailed, .downloaded, .notDownloaded, .updateAvailable],
        [.restored, .alreadyRestored, .nothingToRestore, .restoreIncomplete], [.interrupted, .paidNotDelivered],
        [.restore, .manageSubscriptions, .redeemCode, .terms, .privacy],
    ]

    @Test(arguments: ShopPhrases.languages) func `phrases about different states differ in each language`(
        language: String
    ) {
        let phrases = ShopPhrases(languages: [language])
        for group in Self.opposites {
            let texts = group.map { phrases[$0] }
            #expect(Set(texts).count == texts.count, "\(texts)")
        }
    }

    @Test(arguments: [("de-CH", "de"), ("zh-TW", "zh-Hant"), ("no", "nb"), ("pt-PT", "pt"), ("el", "en"), ("", "en")])
    func `the phrases of the shop are in the language of the customer, or else in English`(asked: String, got: String) {
        #expect(ShopPhrases(languages: [asked]).language == got)
    }

    @Test(arguments: [("ar", true), ("he-IL", true), ("en", false), ("ja", false)])
    func `phrases know the direction of their language`(language: String, isRightToLeft: Bool) {
        #expect(ShopPhrases(languages: [language]).isRightToLeft == isRightToLeft)
    }

    @Test func `an app replaces single phrases of the shop`() {
        let phrases = ShopPhrases(languages: ["de"], replacing: [.buy: "Holen"])
        #expect(phrases[.buy] == "Holen" && phrases[.subscribe] == "Abonnieren")
    }
}
