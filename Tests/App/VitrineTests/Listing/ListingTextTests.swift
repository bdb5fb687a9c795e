import Testing
import Vitrine
import VitrineCatalog
import VitrineTestSupport

/// Texts for customers. Each case is a catalog, a store and owned products, with the expected listing as text.
@Suite(.hangLimit) struct ListingTextTests {
    private static let lisbon = sold(
        "lisbon", "4.99", "$4.99", name: "Lisbon Guide", description: "Seven hills and forty walks.")

    func check(_ test: ListingCase) throws { #expect(try test.text() == test.expected) }

    private static let titles = texts(
        "productTitle", ["en": "Lisbon", "de": "Lissabon", "zh": "里斯本 (简)", "zh-Hant": "里斯本 (繁)"])
    private static let about = texts(
        "longDescription", ["en": "Hills.", "de": "Hügel.", "pt-BR": "Colinas.", "sr": "Брда.", "sr-Latn": "Brda."])

    @Test(arguments: [
        ListingCase(
            "the store's title and the catalog's description", guide("lisbon", titles + about), store: [lisbon],
            is: """
                lisbon: Lisbon Guide
                  Hills.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "the store's title and description", guide("lisbon"), store: [lisbon],
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "the catalog's title while the store is silent", guide("lisbon", titles + about), store: [],
            languages: ["de-AT"], asked: [],
            is: """
                lisbon: Lissabon
                  Hügel.
                  no price, not offered: the store has not answered yet which products it sells, not owned
                """),
        ListingCase(
            "nothing but the identifier", guide("lisbon"), store: [],
            is: """
                lisbon: lisbon
                  no price, not offered: the store does not know the product, not owned
                """),
        ListingCase(
            "a store without texts", guide("lisbon", titles), store: [sold("lisbon", "4.99", "$4.99")],
            is: """
                lisbon: Lisbon
                  $4.99, offered, not owned
                """),
        ListingCase(
            "what the store said in another language", guide("lisbon", titles + about), store: [lisbon],
            languages: ["de-DE", "en"], storeLanguage: "en-US",
            is: """
                lisbon: Lissabon
                  Hügel.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "what the store said in another language, and the catalog says nothing", guide("lisbon"), store: [lisbon],
            languages: ["de-DE"], storeLanguage: "en-US",
            is: """
                lisbon: lisbon
                  $4.99, offered, not owned
                """),
        ListingCase(
            "what the store said in the same language, for another region", guide("lisbon"), store: [lisbon],
            languages: ["en-nz"], storeLanguage: "en-US",
            is: """
                lisbon: Lisbon Guide
                  Seven hills and forty walks.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "what the store said in the same language, in another script", guide("lisbon", titles), store: [lisbon],
            languages: ["zh-Hant-HK"], storeLanguage: "zh-Hans-CN",
            is: """
                lisbon: 里斯本 (繁)
                  $4.99, offered, not owned
                """),
        ListingCase(
            "what the store said in another script, and the catalog says nothing", guide("lisbon"), store: [lisbon],
            languages: ["zh-Hant-HK"], storeLanguage: "zh-Hans-CN",
            is: """
                lisbon: lisbon
                  $4.99, offered, not owned
                """),
        ListingCase(
            "Chinese in Hong Kong", guide("lisbon", titles + about), store: [], languages: ["zh-Hant-HK"],
            is: """
                lisbon: 里斯本 (繁)
                  Hills.
                  no price, not offered: the store does not know the product, not owned
                """),
        ListingCase(
            "Chinese in Hong Kong, without a script", guide("lisbon", titles), store: [], languages: ["zh-HK"],
            is: """
                lisbon: 里斯本 (繁)
                  no price, not offered: the store does not know the product, not owned
                """),
        ListingCase(
            "Chinese on the mainland", guide("lisbon", titles), store: [], languages: ["zh-Hans-CN"],
            is: """
                lisbon: 里斯本 (简)
                  no price, not offered: the store does not know the product, not owned
                """),
        ListingCase(
            "Portuguese of Brazil and of Portugal", guide("lisbon", titles + about), store: [lisbon],
            languages: ["pt-PT"],
            is: """
                lisbon: Lisbon Guide
                  Colinas.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "Serbian in Latin letters", guide("lisbon", about), store: [lisbon], languages: ["sr-Latn-RS"],
            is: """
                lisbon: Lisbon Guide
                  Brda.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "Serbian in Montenegro", guide("lisbon", about), store: [lisbon], languages: ["sr-ME"],
            is: """
                lisbon: Lisbon Guide
                  Brda.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "a second language before English", guide("lisbon", about), store: [lisbon], languages: ["fi", "de-CH"],
            is: """
                lisbon: Lisbon Guide
                  Hügel.
                  $4.99, offered, not owned
                """),
        ListingCase(
            "English before any", guide("lisbon", about), store: [lisbon], languages: ["fi"],
            is: """
                lisbon: Lisbon Guide
                  Hills.
                  $4.99, offered, not owned
                """),
    ])
    func `titles and descriptions are listed in the customer's language`(_ test: ListingCase) throws { try check(test) }
}
