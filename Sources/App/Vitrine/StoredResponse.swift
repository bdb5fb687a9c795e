internal import Foundation
internal import VitrineCatalog

/// Stored form of a store response.
struct StoredResponse: Codable {
    private static let version = 1

    let version: Int
    /// Date in milliseconds since 1970.
    let date: Int64
    let storefront: String?
    /// Language of the store's texts; `nil` if it is not known.
    let language: String?
    let asked: [String]
    /// Products, each as an array of strings, which is read much faster than keyed fields: identifier, kind, name,
    /// description, price in decimal digits (a binary fraction would be another price), currency, formatted price. More
    /// strings follow only for a product that families share, and for a subscription.
    let products: [[String]]

    init(_ answer: StoreSnapshot) {
        version = Self.version
        date = answer.date.milliseconds
        storefront = answer.storefront
        language = answer.language
        asked = answer.requested
        products = answer.products.map(\.row)
    }

    /// Response in the document.
    ///
    /// - Returns: `nil` for a document of another version, or one with a product that cannot be read.
    var answer: StoreSnapshot? {
        let products = products.compactMap(StoreProduct.init(row:))
        guard version == Self.version, products.count == self.products.count else { return nil }
        return StoreSnapshot(
            requested: asked, products: products, date: Date(milliseconds: date),
            storefront: storefront, language: language)
    }
}

extension StoreProduct {
    fileprivate var row: [String] {
        let own = [identifier, kind.rawValue, displayName, description, price.description, currencyCode, displayPrice]
        guard isFamilyShareable || subscription != nil else { return own }
        return own + [Self.text(isFamilyShareable)] + (subscription?.row ?? [])
    }

    /// Creates a product from its stored row.
    ///
    /// - Returns: `nil` for a row in another form, or with a price that is not a number.
    fileprivate init?(row: [String]) {
        guard row.count >= 7, let kind = ProductKind(rawValue: row[1]), let price = Self.price(row[4]) else {
            return nil
        }
        var (isShareable, subscription): (Bool?, Subscription?) = (false, nil)
        if row.count > 7 {
            isShareable = Self.flag(row[7])
            subscription = Subscription(row: row[8...])
        }
        guard let isShareable, row.count <= 8 || subscription != nil else { return nil }
        self.init(
            identifier: row[0], kind: kind, displayName: row[2], description: row[3], price: price,
            currencyCode: row[5], displayPrice: row[6], isFamilyShareable: isShareable, subscription: subscription)
    }

    fileprivate static func text(_ flag: Bool) -> String { flag ? "1" : "0" }

    fileprivate static func flag(_ text: String) -> Bool? { ["1": true, "0": false][text] }

    fileprivate static func price(_ text: String) -> Decimal? {
        Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).flatMap { $0.description == text ? $0 : nil }
    }
}

extension StoreProduct.Subscription {
    /// Stored form of the subscription: group, name of the group, level, period, eligibility for the introductory offer
    /// (empty if unknown), number of win-back offers that the customer is eligible for, their identifiers, and all
    /// offers.
    fileprivate var row: [String] {
        let offers = [introductoryOffer].compactMap(\.self) + promotionalOffers + winBackOffers
        return [groupID, groupName, String(level), period.description]
            + [isEligibleForIntroductoryOffer.map(StoreProduct.text) ?? "", String(eligibleWinBackOffers.count)]
            + eligibleWinBackOffers + offers.flatMap(\.row)
    }

    /// Creates a subscription from its part of a stored row.
    ///
    /// - Returns: `nil` for a part in another form.
    fileprivate init?(row: ArraySlice<String>) {
        let head = Array(row.prefix(6))
        guard head.count == 6, let level = Int(head[2]), let period = RenewalPeriod(iso8601: head[3]),
            let winBackCount = Int(head[5]), (0...row.count - 6).contains(winBackCount)
        else { return nil }
        let isEligible = StoreProduct.flag(head[4])
        guard isEligible != nil || head[4].isEmpty else { return nil }
        var rest = row.dropFirst(6 + winBackCount)
        var offers: [Offer] = []
        while !rest.isEmpty {
            guard let offer = Offer(row: rest.prefix(Offer.fieldCount)) else { return nil }
            offers.append(offer)
            rest = rest.dropFirst(Offer.fieldCount)
        }
        self.init(
            groupID: head[0], groupName: head[1], level: level, period: period,
            introductoryOffer: offers.first { $0.kind == .introductory },
            promotionalOffers: offers.filter { $0.kind == .promotional },
            winBackOffers: offers.filter { $0.kind == .winBack }, isEligibleForIntroductoryOffer: isEligible,
            eligibleWinBackOffers: Array(row.dropFirst(6).prefix(winBackCount)))
    }
}

extension StoreProduct.Subscription.Offer {
    /// Number of strings of a stored offer: kind, identifier (empty if there is none), payment mode, period, number of
    /// periods, price, formatted price.
    fileprivate static let fieldCount = 7

    fileprivate var row: [String] {
        [
            kind.rawValue, identifier ?? "", paymentMode.rawValue, period.description, String(periodCount),
            price.description, displayPrice,
        ]
    }

    fileprivate init?(row: ArraySlice<String>) {
        let fields = Array(row)
        guard fields.count == Self.fieldCount, let kind = StoreConfiguration.Offer.Kind(rawValue: fields[0]),
            let mode = StoreConfiguration.Offer.PaymentMode(rawValue: fields[2]),
            let period = RenewalPeriod(iso8601: fields[3]), let count = Int(fields[4]),
            (1...9_999).contains(count), let price = StoreProduct.price(fields[5])
        else { return nil }
        self.init(
            kind: kind, identifier: fields[1].isEmpty ? nil : fields[1], paymentMode: mode, period: period,
            periodCount: count, price: price, displayPrice: fields[6])
    }
}
