internal import Foundation
internal import VitrineCatalog

/// Word or sentence of a shop for customers.
package enum ShopPhrase: Int, Sendable, CaseIterable {
    case buy, subscribe
    case owned, subscribed, waitingForApproval, delivering, buying, unavailable
    case storeUnreachable, bundleMostlyOwned
    /// Sentence with `{version}`.
    case updateApp
    case purchasesNotAllowed
    case products, featured, search, all
    case download, removeDownload, downloaded, notDownloaded, updateAvailable
    case includes
    /// Phrase with `{amount}`: an amount of money or a percentage.
    case saving
    case familySharing, freeTrial, subscription
    case offline, noProducts
    /// Phrase with `{price}`: the price of one unit.
    case each
    /// Phrase with `{date}`.
    case until
    case quantity
}

/// Phrases of a shop in the language of its customers.
package struct ShopPhrases: Sendable, Hashable {
    /// BCP 47 tag of the language of the phrases.
    package let language: String
    /// Locale for numbers and dates: the customer's, if it has the language of the phrases.
    private let locale: Locale
    private let texts: [String]

    /// Creates the phrases in the first of a customer's languages that is supported, or else in English.
    ///
    /// - Parameter languages: BCP 47 tags, in order of preference.
    package init(languages: [String]) {
        language = Self.tags.text(for: languages)
        texts = Self.table[language] ?? []
        let (own, customer) = (Locale(identifier: language), Locale(identifier: languages.first ?? "en"))
        locale = customer.language.languageCode == own.language.languageCode ? customer : own
    }

    package subscript(phrase: ShopPhrase) -> String {
        texts.indices.contains(phrase.rawValue) ? texts[phrase.rawValue] : ""
    }

    /// Returns a phrase with a value in place of its placeholder.
    package func filled(_ phrase: ShopPhrase, _ value: String) -> String {
        self[phrase].replacing(/\{[a-z]+\}/, with: value)
    }

    package func number(_ number: Int) -> String { number.formatted(.number.locale(locale)) }

    /// Returns a saving as a percentage. A saving of less than everything is at most 99 %.
    func percent(_ fraction: Double) -> String {
        let rounded = (fraction * 100).rounded() / 100
        let shown = fraction < 1 ? min(rounded, 0.99) : rounded
        return shown.formatted(.percent.precision(.fractionLength(0)).locale(locale))
    }

    func day(_ date: Date) -> String {
        var style = Date.FormatStyle(date: .abbreviated, time: .omitted, locale: locale)
        style.timeZone = .gmt
        return date.formatted(style)
    }

    /// Tags of the supported languages as localized texts, so that a language is chosen as for the texts of a catalog.
    private static let tags = LocalizedText(table.keys.sorted().map { ($0, $0) })

    /// Supported languages, as BCP 47 tags.
    package static var languages: [String] { table.keys.sorted() }
}
