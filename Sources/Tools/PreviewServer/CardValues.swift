internal import VitrineShopContent
internal import VitrineShopPreview

/// Mustache template values for the card of a product.
struct CardValues {
    private static let titleLimit = 300
    private static let textLimit = 1_000
    /// Number of colors for products without an icon.
    private static let hueCount = 8
    /// Maximum number of findings on a card.
    private static let findingLimit = 5

    let shop: ShopValues

    func values(_ card: ShopCard) -> PageValues {
        let findings = shop.shown(card.findings)
        var values: PageValues = [
            "position": card.position, "identifier": card.identifier.shortened(to: Self.titleLimit),
            "encodedIdentifier": card.identifier.encodedForQuery, "title": card.title.shortened(to: Self.titleLimit),
            "text": card.text.isEmpty ? false : card.text.shortened(to: Self.textLimit) as Any,
            "labels": card.badges.isEmpty ? false : card.badges.joined(separator: " · ") as Any,
            "icon": card.icon.map(shop.image) ?? false, "hue": card.position % Self.hueCount,
            "initial": Self.initial(card.title),
            "bundle": card.bundle.map(bundle) ?? false, "terms": card.terms.flatMap(terms) ?? false,
            "hasOffers": !card.offers.isEmpty, "offers": offers(card),
            "credit": card.credit?.shortened(to: Self.titleLimit) ?? false,
            "content": card.content.map { content($0, of: card) } ?? false,
            "contentState": card.content?.state ?? false,
            "reasons": Self.reasons(shop.reasons[card.identifier] ?? []),
        ]
        values.merge(ShopValues.findings(findings, limit: Self.findingLimit)) { $1 }
        values.merge(sale(card)) { $1 }
        return values
    }

    /// Returns the first visible character of a title, as placeholder for a missing icon.
    static func initial(_ title: String) -> String {
        let visible = title.first { character in
            !character.isWhitespace && character.unicodeScalars.contains { $0.properties.generalCategory != .format }
        }
        guard let visible else { return "" }
        // The limit is necessary because a character can have any number of combining marks.
        let text = String(visible)
        return text.utf8.count <= 64 ? text.uppercased() : text.unicodeScalars.prefix(1).map(String.init).joined()
    }

    private func sale(_ card: ShopCard) -> PageValues {
        var (name, statusClass, reason) = ("", "", nil as String?)
        switch card.state {
        case .buyable: name = "buyable"
        case .owned: (name, statusClass) = ("owned", "owned")
        case .pending: (name, statusClass) = ("pending", "waiting")
        case .notOffered(let why): (name, statusClass, reason) = ("refused", "muted", why)
        }
        let sale = card.sale
        let visible: Set = card.maxQuantity > 1 ? ["quantity"] : []
        return [
            "state": name, "statusClass": statusClass, "reason": reason?.shortened(to: Self.textLimit) ?? false,
            "isBuyable": sale.button != nil, "button": sale.button ?? "",
            "verb": sale.button == sale.verb ? false : sale.verb as Any, "price": sale.price ?? false,
            "status": sale.status ?? false, "explanation": sale.explanation ?? false,
            "buy": ShopValues.fields(card.purchase, without: visible),
            "hasQuantity": card.maxQuantity > 1, "maxQuantity": card.maxQuantity,
        ]
    }

    private func bundle(_ bundle: ShopBundle) -> PageValues {
        [
            "saving": bundle.saving ?? false,
            "children": bundle.children.map { child -> PageValues in
                ["title": child.title.shortened(to: 100), "isOwned": child.isOwned]
            },
        ]
    }

    private func terms(_ terms: ShopTerms) -> PageValues? {
        let lines = [terms.offer, terms.pricePerMonth, terms.saving].compactMap(\.self)
        return lines.isEmpty ? nil : ["lines": lines.map { $0.shortened(to: Self.titleLimit) }]
    }

    private func offers(_ card: ShopCard) -> [PageValues] {
        card.offers.enumerated().map { index, offer in
            let (kind, verb) =
                switch offer.offer {
                case .promotional: ("Promotional offer", "Buy")
                case .winBack: ("Win-back offer", "Buy")
                case .code: ("Offer code", "Redeem")
                }
            return [
                "index": index, "kind": kind, "verb": verb, "text": offer.text.shortened(to: Self.titleLimit),
                "take": ShopValues.fields(.buyOffer(product: card.identifier, offer: offer.offer)),
            ]
        }
    }

    private func content(_ content: ShopContent, of card: ShopCard) -> PageValues {
        [
            "word": content.text ?? false, "percent": Int(min(max(content.fraction, 0), 1) * 100),
            "download": content.canDownload ? ShopValues.fields(.download(product: card.identifier)) : false as Any,
            "remove": content.canRemove ? ShopValues.fields(.removeContent(product: card.identifier)) : false as Any,
        ]
    }

    /// Returns the template values of lines that explain why a product is owned or not owned. The indentation of a line
    /// determines its nesting level.
    static func reasons(_ lines: [String]) -> [PageValues] {
        lines.prefix(200).map { line in
            let indentation = line.prefix { $0 == " " }.count
            return [
                "text": line.dropFirst(indentation).description.shortened(to: textLimit),
                "level": min(indentation / 2, 4),
            ]
        }
    }
}
