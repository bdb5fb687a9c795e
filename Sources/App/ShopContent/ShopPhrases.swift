public import Foundation
internal import VitrineCatalog
package import VitrinePurchasing

/// Phrases of a shop in the language of its customers.
public struct ShopPhrases: Sendable, Hashable {
    /// BCP 47 tag of the language of the phrases.
    public let language: String
    /// Locale for numbers and dates: the customer's, if it has the language of the phrases.
    private let locale: Locale
    private let timeZone: TimeZone
    private let replacements: [ShopPhrase: String]

    /// Creates the phrases in the first of a customer's languages that is supported, or else in English.
    ///
    /// - Parameters:
    ///   - languages: BCP 47 tags, in order of preference.
    ///   - timeZone: Time zone of dates.
    ///   - replacements: Texts of the app in place of the library's, with the same placeholders.
    public init(
        languages: [String] = Locale.preferredLanguages, timeZone: TimeZone = .current,
        replacing replacements: [ShopPhrase: String] = [:]
    ) {
        language = Self.table.language(for: languages)
        let (own, customer) = (Locale(identifier: language), Locale(identifier: languages.first ?? "en"))
        locale = customer.language.languageCode == own.language.languageCode ? customer : own
        self.timeZone = timeZone
        self.replacements = replacements
    }

    public subscript(phrase: ShopPhrase) -> String {
        replacements[phrase] ?? Self.table.text(phrase, in: language)
    }

    /// `true` if the language is written from right to left.
    public var isRightToLeft: Bool { locale.language.characterDirection == .rightToLeft }

    package func text(_ failure: FailurePhrase) -> String { failure.text(for: [language]) }

    /// Returns a phrase with a value in place of its placeholder.
    package func filled(_ phrase: ShopPhrase, _ value: String) -> String {
        self[phrase].replacing(/\{[a-z]+\}/, with: value)
    }

    /// Returns a phrase with a day in place of its placeholder.
    func filled(_ phrase: ShopPhrase, _ date: Date) -> String { filled(phrase, day(date)) }

    package func number(_ number: Int) -> String { number.formatted(.number.locale(locale)) }

    private func day(_ date: Date) -> String {
        var style = Date.FormatStyle(date: .abbreviated, time: .omitted, locale: locale)
        style.timeZone = timeZone
        return date.formatted(style)
    }

    private static let table = PhraseTable(
        [germanic, romance, slavic, others, rightToLeft, eastAsian].reduce(into: [:]) { all, group in
            all.merge(group) { first, _ in first }
        })

    /// Supported languages, as BCP 47 tags.
    public static var languages: [String] { table.languages }
}
