internal import Foundation
internal import VitrineShopContent
internal import VitrineShopPreview

/// Template values with the phrases of the shop, in the language of the page.
extension ShopValues {
    var phrases: PageValues {
        let phrases = page.phrases
        return [
            "language": page.language, "phraseLanguage": phrases.language,
            "direction": Self.direction(of: page.language), "phraseDirection": Self.direction(of: phrases.language),
            "includes": phrases[.includes], "ownedWord": phrases[.owned], "downloadWord": phrases[.download],
            "removeWord": phrases[.removeDownload], "quantityWord": phrases[.quantity],
            "offlineWord": phrases[.offline], "featuredWord": phrases[.featured], "productsWord": phrases[.products],
            "emptyWord": phrases[.noProducts], "searchWord": phrases[.search],
        ]
    }

    private static func direction(of language: String) -> String { isRightToLeft(language) ? "rtl" : "ltr" }

    static func isRightToLeft(_ language: String) -> Bool {
        Locale.Language(identifier: language).characterDirection == .rightToLeft
    }

    /// Number of products from which on a page has a search field.
    private static let leastSearched = 30

    /// Template values of the form that searches and filters products.
    var search: PageValues {
        let phrases = page.phrases
        let filter = page.filter
        let states: [(ProductFilter.State?, String)] = [
            (nil, phrases[.all]), (.buyable, phrases[.buy]), (.owned, phrases[.owned]),
            (.unavailable, phrases[.unavailable]),
        ]
        return [
            "hasSearch": !isStatic && page.totalCount >= Self.leastSearched, "filterText": filter.text,
            "filterStates": states.map { state, name -> PageValues in
                ["identifier": state?.rawValue ?? "", "name": name, "isChosen": state == filter.state]
            },
            "viewFields": query.viewFields.map { ["name": $0.name, "value": $0.value] as PageValues },
        ]
    }
}
