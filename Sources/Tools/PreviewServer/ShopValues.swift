internal import Foundation
internal import VitrineShopPreview

/// Template values of the current state of a shop.
struct ShopValues {
    /// Number of products in a range, which a page loads together. The number fills whole rows of the grid at any
    /// width.
    static let rangeSize = 24
    /// Maximum number of products per response.
    static let answerLimit = 480
    /// Maximum number of findings on a page.
    private static let findingLimit = 50

    let page: ShopPage
    let query: ViewQuery
    /// `true` for an exported page, which has no controls.
    var isStatic = false
    /// Lines that explain the ownership of a product, by product identifier; set only for exported pages.
    var reasons: [String: [String]] = [:]
    /// File names of images by image identifier; set only for exported pages.
    var imageFiles: [String: String] = [:]

    /// Template values of a whole page.
    var all: PageValues {
        var values = view
        values.merge(shop) { $1 }
        values.merge(customer) { $1 }
        values.merge(timeline) { $1 }
        return values
    }

    private var view: PageValues {
        let automatic = query.followsBrowser
        return [
            "isStatic": isStatic, "query": query.text, "revision": page.revision, "catalogName": page.catalogName,
            "status": page.status, "device": query.view.device.rawValue,
            "scheme": automatic ? false : query.view.scheme.rawValue as Any,
            "languages": Self.choices(page.languages, chosen: page.language),
            "storefronts": Self.choices(page.storefronts, chosen: page.storefront),
            "devices": PreviewView.Device.allCases.map {
                Self.choice($0.rawValue, $0.rawValue.capitalized, isChosen: $0 == query.view.device)
            },
            "schemes": [Self.choice("", "As the browser", isChosen: automatic)]
                + PreviewView.Scheme.allCases.map {
                    Self.choice($0.rawValue, $0.rawValue.capitalized, isChosen: !automatic && $0 == query.view.scheme)
                },
        ]
    }

    private var shop: PageValues {
        let direction = Locale.Language(identifier: page.language).characterDirection
        let first = page.range.lowerBound
        let previous = max(first - Self.rangeSize, 0)
        return [
            "language": page.language, "direction": direction == .rightToLeft ? "rtl" : "ltr",
            "shopName": (page.catalogName as NSString).deletingPathExtension, "hasNetwork": page.hasNetwork,
            "productCount": page.productCount == 0 ? false : page.productCount as Any,
            "fileErrors": page.fileErrors.map { file -> PageValues in
                [
                    "name": file.name, "message": file.message.shortened(to: 1_000),
                    "place": Self.place(file.line, file.column),
                ]
            },
            "hasFeatured": !page.featured.isEmpty,
            "featured": page.featured.map { card -> PageValues in
                [
                    "position": card.position, "title": card.title.shortened(to: 200), "price": card.price ?? false,
                    "image": card.featuredImage.map(image) ?? false,
                ]
            },
            "ranges": ranges, "more": more ?? false,
            "hasPages": !isStatic && page.range.count < page.productCount,
            "previous": first > 0 ? previous as Any : false,
            "next": page.range.upperBound < page.productCount ? page.range.upperBound as Any : false,
        ]
    }

    /// Template values of all ranges of products. Ranges that are not loaded with the page are empty placeholders.
    private var ranges: [PageValues] {
        let cards = CardValues(shop: self)
        let end = isStatic ? page.range.upperBound : page.productCount
        return stride(from: 0, to: end, by: Self.rangeSize).map { from in
            let range = from..<min(from + Self.rangeSize, end)
            let own =
                page.range.lowerBound <= from && range.upperBound <= page.range.upperBound
                ? page.cards.filter { range.contains($0.position) } : []
            return [
                "from": range.lowerBound, "to": range.upperBound, "isLoaded": !own.isEmpty,
                "cards": own.map(cards.values),
            ]
        }
    }

    private var more: String? {
        let others = page.productCount - page.range.upperBound
        return isStatic && others > 0 ? "The catalog has \(others) more products." : nil
    }

    private var timeline: PageValues {
        let last = page.timeline.last?.number
        return [
            "timeline": page.timeline.reversed().map { step -> PageValues in
                [
                    "number": step.number, "title": step.title.shortened(to: 300), "outcome": step.outcome.rawValue,
                    "result": step.result.isEmpty ? false : step.result.shortened(to: 1_000) as Any,
                    "hasEvents": !step.events.isEmpty,
                    "events": step.events.prefix(20).map { $0.shortened(to: 500) }, "date": step.dateText,
                    "isEarlier": step.number != last,
                ]
            },
            "hasFindings": !page.findings.isEmpty, "findingCounts": findingCounts,
            "findings": page.findings.prefix(Self.findingLimit).map(Self.finding),
            "moreFindings": moreFindings ?? false, "hasScenes": !page.scenes.isEmpty,
            "scenes": page.scenes.enumerated().map { index, scene -> PageValues in
                ["index": index, "name": scene.name]
            },
        ]
    }

    private var findingCounts: String {
        ShopFinding.Severity.allCases.compactMap { severity in
            page.findingCounts[severity].flatMap { count in
                count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
            }
        }.joined(separator: ", ")
    }

    private var moreFindings: String? {
        let count = page.findingCounts.values.reduce(0, +) - Self.findingLimit
        return count > 0 ? "There are \(count) more; 'vitrine lint' prints all." : nil
    }
}

// MARK: Values that several templates have

extension ShopValues {
    static func finding(_ finding: ShopFinding) -> PageValues {
        [
            "severity": finding.severity.rawValue, "severityName": finding.severity.rawValue.capitalized,
            "place": place(finding.line, finding.column), "message": finding.message.shortened(to: 500),
            "rule": finding.rule ?? false,
        ]
    }

    /// Returns the fields of an action as hidden inputs of a form.
    ///
    /// - Parameter visible: Names of fields that are visible inputs of the form.
    static func fields(_ action: PreviewAction, without visible: Set<String> = []) -> PageValues {
        let fields = action.fields.filter { !visible.contains($0.key) }.sorted { $0.key < $1.key }
        return ["fields": fields.map { ["name": $0.key, "value": $0.value] as PageValues }]
    }

    /// Returns the URL of an image: on the server, or beside an exported page.
    func image(_ identifier: String) -> String {
        if isStatic { return imageFiles[identifier] ?? "" }
        return "image?name=\(identifier.encodedForQuery)"
    }

    private static func place(_ line: Int?, _ column: Int?) -> Any {
        guard let line else { return false }
        return "line \(line)" + (column.map { ", column \($0)" } ?? "")
    }

    private static func choices(_ choices: [PreviewChoice], chosen: String) -> [PageValues] {
        choices.map { choice($0.identifier, $0.name, isChosen: $0.identifier == chosen) }
    }

    private static func choice(_ identifier: String, _ name: String, isChosen: Bool) -> PageValues {
        ["identifier": identifier, "name": name, "isChosen": isChosen]
    }
}

extension String {
    /// Text percent-encoded as value in the query of a URL.
    var encodedForQuery: String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
