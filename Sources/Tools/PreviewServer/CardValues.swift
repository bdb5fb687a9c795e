internal import VitrineShopPreview

/// Mustache template values for the card of a product.
struct CardValues {
    private static let titleLimit = 300
    private static let textLimit = 1_000
    /// Number of colors for products without an icon.
    private static let hueCount = 8

    let shop: ShopValues

    func values(_ card: ShopCard) -> PageValues {
        var values: PageValues = [
            "position": card.position, "identifier": card.identifier.shortened(to: Self.titleLimit),
            "encodedIdentifier": card.identifier.encodedForQuery, "title": card.title.shortened(to: Self.titleLimit),
            "text": card.text.isEmpty ? false : card.text.shortened(to: Self.textLimit) as Any,
            "price": card.price ?? false, "kind": card.kind, "badges": card.badges,
            "icon": card.icon.map(shop.image) ?? false, "hue": card.position % Self.hueCount,
            "initial": Self.initial(card.title),
            "bundle": card.bundle.map(bundle) ?? false, "terms": card.terms.flatMap(terms) ?? false,
            "credit": card.credit.map(credit) ?? false, "content": card.content.map { content($0, of: card) } ?? false,
            "findings": card.findings.prefix(5).map(ShopValues.finding),
            "reasons": Self.reasons(shop.reasons[card.identifier] ?? []),
        ]
        values.merge(state(card)) { $1 }
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

    private func state(_ card: ShopCard) -> PageValues {
        var (name, reason) = ("", nil as String?)
        switch card.state {
        case .buyable: name = "buyable"
        case .owned: name = "owned"
        case .pending: name = "pending"
        case .notOffered(let why): (name, reason) = ("refused", why)
        }
        let visible: Set = card.maxQuantity > 1 ? ["quantity"] : []
        return [
            "state": name, "reason": reason?.shortened(to: Self.textLimit) ?? false,
            "isBuyable": card.state == .buyable,
            "isOwned": card.state == .owned, "isPending": card.state == .pending, "isNotOffered": reason != nil,
            "buy": ShopValues.fields(.buy(product: card.identifier, quantity: 1), without: visible),
            "hasQuantity": card.maxQuantity > 1, "maxQuantity": card.maxQuantity,
        ]
    }

    private func bundle(_ bundle: ShopBundle) -> PageValues {
        var summary = "Contains \(bundle.count) product\(bundle.count == 1 ? "" : "s")"
        if bundle.ownedCount > 0 { summary += ", \(bundle.ownedCount) owned already" }
        if let saving = bundle.saving { summary += "; saves \(saving)" }
        return [
            "summary": summary,
            "children": bundle.children.map { child -> PageValues in
                ["title": child.title.shortened(to: 100), "isOwned": child.isOwned]
            },
        ]
    }

    private func terms(_ terms: ShopTerms) -> PageValues? {
        var lines = terms.offers
        if let perMonth = terms.pricePerMonth { lines.append(perMonth) }
        if let saving = terms.saving { lines.append("saves \(saving)") }
        if let group = terms.group { lines.append("group: \(group)") }
        if let current = terms.current { lines.append(current) }
        return lines.isEmpty ? nil : ["lines": lines.map { $0.shortened(to: Self.titleLimit) }]
    }

    private func credit(_ credit: ShopCredit) -> String {
        "\(credit.units) of \(credit.wallet.shortened(to: 100))" + (credit.pricePerUnit.map { ", \($0) each" } ?? "")
    }

    private func content(_ content: ShopContent, of card: ShopCard) -> PageValues {
        [
            "state": content.state, "percent": Int(min(max(content.fraction, 0), 1) * 100),
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
