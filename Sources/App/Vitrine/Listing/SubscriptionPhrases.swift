internal import VitrineCatalog

/// Phrases of one language about the price of a subscription. In a phrase, `{price}`, `{duration}`, `{n}` and `{offer}`
/// stand for a formatted price, a number of units such as "3 months", the number in it, and a phrase about an offer.
struct SubscriptionPhrases: Sendable {
    /// Phrases about one unit of time.
    struct Unit: Sendable {
        /// Phrase for the price of one unit: "{price} a month".
        let each: String
        /// Phrase for the price of several units: "{price} every {duration}".
        let every: String
        /// Number of units, in the plural forms of the language: "{n} month", "{n} months".
        let forms: [String]

        init(_ each: String, _ every: String, _ forms: String...) {
            self.each = each
            self.every = every
            self.forms = forms
        }
    }

    /// BCP 47 tag of the language.
    let language: String
    private let plural: PluralRule
    private let day: Unit
    private let week: Unit
    private let month: Unit
    private let year: Unit
    /// Phrase for a duration that costs nothing: "{duration} free".
    let free: String
    /// Phrase for a price that applies for a duration: "{price} for {duration}".
    let lasting: String
    /// Phrase for an offer, followed by the usual price: "{offer}, then {price}".
    let then: String

    init(
        _ language: String, _ plural: PluralRule, day: Unit, week: Unit, month: Unit, year: Unit, free: String,
        lasting: String, then: String
    ) {
        self.language = language
        self.plural = plural
        self.day = day
        self.week = week
        self.month = month
        self.year = year
        self.free = free
        self.lasting = lasting
        self.then = then
    }

    subscript(unit: RenewalPeriod.Unit) -> Unit {
        switch unit {
        case .day: day
        case .week: week
        case .month: month
        case .year: year
        }
    }

    /// Returns the phrase for a number of units, with `{n}` in place of the number.
    func form(of unit: RenewalPeriod.Unit, for count: Int) -> String {
        let forms = self[unit].forms
        return forms[min(plural.form(for: count), forms.count - 1)]
    }

    /// Returns the phrases in the first of the customer's languages that is supported, or else in English.
    static func best(for languages: [String]) -> SubscriptionPhrases {
        let language = tags.text(for: languages)
        return all.first { $0.language == language } ?? english
    }

    /// Tags of the languages as localized texts, so that a language is chosen in the same way as for the texts of a
    /// catalog.
    private static let tags = LocalizedText(all.map { ($0.language, $0.language) })
}

/// Plural forms of a language for whole numbers from 1 (Unicode's CLDR, plural rules), in the order of
/// ``SubscriptionPhrases/Unit/forms``.
enum PluralRule: Sendable {
    /// Rule with one form for all numbers.
    case other
    /// Rule with the forms one and other.
    case oneOther
    /// Rule with the forms one, few and other.
    case czech
    /// Rule with the forms one, few and many.
    case polish
    /// Rule with the forms one, few and many, whose form one is also used for 21, 31 and so on.
    case eastSlavic
    /// Rule with the forms one, two and other.
    case hebrew
    /// Rule with the forms one, two, few, many and other.
    case arabic

    /// Returns the position of the plural form for a number in ``SubscriptionPhrases/Unit/forms``.
    func form(for count: Int) -> Int {
        let (lastDigit, lastDigits) = (count % 10, count % 100)
        let isFew = (2...4).contains(lastDigit) && !(12...14).contains(lastDigits)
        return switch self {
        case .other: 0
        case .oneOther: count == 1 ? 0 : 1
        case .czech: count == 1 ? 0 : (2...4).contains(count) ? 1 : 2
        case .polish: count == 1 ? 0 : isFew ? 1 : 2
        case .eastSlavic: lastDigit == 1 && lastDigits != 11 ? 0 : isFew ? 1 : 2
        case .hebrew: min(count, 3) - 1
        case .arabic:
            switch lastDigits {
            case _ where count <= 2: count - 1
            case 3...10: 2
            case 11...99: 3
            default: 4
            }
        }
    }
}
