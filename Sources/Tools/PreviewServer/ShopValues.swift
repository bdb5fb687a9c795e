internal import Foundation
internal import VitrineShopContent
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
    /// Maximum number of findings about a product that is not in the shop.
    private static let droppedFindingLimit = 5

    let page: ShopPage
    let query: ViewQuery
    /// `true` for an exported page, which has no controls.
    var isStatic = false
    /// Lines that explain the ownership of a product, by product identifier; set only for exported pages.
    var reasons: [String: [String]] = [:]
    /// Addresses of images by image identifier; set only for exported pages.
    var imageFiles: [String: String] = [:]
    /// `true` for an exported page without warnings and notes.
    var hidesWarnings = false

    /// Template values of a whole page.
    var all: PageValues {
        var values = phrases
        values.merge(view) { $1 }
        values.merge(search) { $1 }
        values.merge(shop) { $1 }
        values.merge(customer) { $1 }
        values.merge(timeline) { $1 }
        return values
    }

    private var view: PageValues {
        let automatic = query.followsBrowser
        return [
            "isStatic": isStatic, "iconAddress": iconAddress, "query": query.text, "revision": page.revision,
            "catalogName": page.catalogName,
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
        let first = page.range.lowerBound
        let previous = max(first - Self.rangeSize, 0)
        return [
            "shopName": (page.catalogName as NSString).deletingPathExtension, "hasNetwork": page.hasNetwork,
            "productCount": page.productCount == 0 ? false : page.productCount as Any,
            "shownCount": page.productCount.formatted(.number.locale(Locale(identifier: page.phrases.language))),
            "hasDropped": !page.dropped.isEmpty,
            "dropped": page.dropped.map { product -> PageValues in
                [
                    "identifier": product.identifier.shortened(to: 300),
                    "findings": product.findings.prefix(Self.droppedFindingLimit).map(Self.finding),
                ]
            },
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
                ? Array(page.cards[(from - page.range.lowerBound)..<(range.upperBound - page.range.lowerBound)]) : []
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
        var values: PageValues = [
            "timeline": page.timeline.reversed().map { step -> PageValues in
                [
                    "number": step.number, "title": step.title.shortened(to: 300), "outcome": step.outcome.rawValue,
                    "result": step.result.isEmpty ? false : step.result.shortened(to: 1_000) as Any,
                    "hasEvents": !step.events.isEmpty,
                    "events": step.events.prefix(20).map { $0.shortened(to: 500) }, "date": step.dateText,
                    "isEarlier": step.number != last,
                ]
            },
            "moreFindings": moreFindings ?? false, "hasScenes": !page.scenes.isEmpty,
            "overviewVersion": page.overviewVersion,
            "scenes": page.scenes.enumerated().map { index, scene -> PageValues in
                [
                    "index": index, "name": scene.name, "encodedName": scene.name.encodedForQuery,
                    "viewName": scene.view.description,
                ]
            },
        ]
        let counts = page.findingCounts.filter { !hidesWarnings || $0.key == .error }
        values.merge(Self.findings(shown(page.findings), limit: Self.findingLimit, counts: counts)) { $1 }
        return values
    }

    /// Address of the page's own icon.
    private var iconAddress: String { isStatic ? SceneExport.iconAddress : "icon.svg" }

    /// Returns the findings that the page shows.
    func shown(_ findings: [ShopFinding]) -> [ShopFinding] {
        hidesWarnings ? findings.filter { $0.severity == .error } : findings
    }

    private var moreFindings: String? {
        let count = page.findingCounts.values.reduce(0, +) - Self.findingLimit
        guard !hidesWarnings else { return nil }
        return count > 0 ? "There are \(count) more; 'vitrine lint' prints all." : nil
    }
}

// MARK: Values that several templates have

extension ShopValues {
    /// Returns the template values of a badge with the number of findings, which opens their list.
    ///
    /// - Parameters:
    ///   - limit: Maximum number of findings in the list.
    ///   - counts: Number of findings by severity, if there are more than the given ones.
    static func findings(
        _ findings: [ShopFinding], limit: Int, counts: [ShopFinding.Severity: Int]? = nil
    ) -> PageValues {
        let counts = counts ?? Dictionary(grouping: findings, by: \.severity).mapValues(\.count)
        let present = ShopFinding.Severity.allCases.compactMap { severity in
            counts[severity].flatMap { $0 == 0 ? nil : (severity, $0) }
        }
        return [
            "hasFindings": !findings.isEmpty, "worst": present.first?.0.rawValue ?? "",
            "findingCounts": present.map { "\($1) \($0.rawValue)\($1 == 1 ? "" : "s")" }.joined(separator: ", "),
            "findings": findings.prefix(limit).map(finding),
        ]
    }

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

    /// Returns the address of an image: on the server, or with its data for an exported page.
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
