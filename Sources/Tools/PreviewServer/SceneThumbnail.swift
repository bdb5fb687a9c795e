internal import Foundation
internal import VitrineShopPreview

/// Small picture of a scene in SVG, drawn from the content of its cards: icons, titles, prices and states.
struct SceneThumbnail {
    static let mediaType = "image/svg+xml"
    private static let (width, height) = (240, 150)
    private static let (margin, gap) = (8, 6)
    private static let cardHeight = 46
    /// Vertical position of the first row of cards.
    private static let top = 28
    /// Width of a narrow character of a title and of a label.
    private static let (titleUnit, labelUnit) = (5.2, 4.3)

    let overview: SceneOverview

    /// Returns the picture as an SVG document.
    func svg(_ templates: PageTemplates) -> String { templates.render("thumbnail", values) }

    private var isRightToLeft: Bool { ShopValues.isRightToLeft(overview.language) }

    /// Frame of the shop as wide as its device, and number of columns of cards.
    private var frame: (x: Int, width: Int, columns: Int) {
        switch overview.view.device {
        case .phone: (56, 128, 1)
        case .tablet: (24, 192, 2)
        case .computer: (0, Self.width, 3)
        }
    }

    private var values: PageValues {
        let (frame, inner) = (frame, frame.width - 2 * Self.margin)
        let start = isRightToLeft ? frame.x + frame.width - Self.margin : frame.x + Self.margin
        let name = (overview.name as NSString).deletingPathExtension
        var values: PageValues = [
            "width": Self.width, "height": Self.height, "frameX": frame.x, "frameWidth": frame.width,
            "start": start, "end": isRightToLeft ? frame.x + Self.margin : frame.x + frame.width - Self.margin,
            "anchor": isRightToLeft ? "end" : "start", "opposite": isRightToLeft ? "start" : "end",
            "name": Self.fitted(name, Double(inner) * 0.55, Self.titleUnit * 1.2),
            "balance": overview.balances.first.map { Self.fitted($0, Double(inner) * 0.4, Self.labelUnit) } ?? false,
            "products": overview.products.enumerated().map { product($1, at: $0) },
        ]
        let colors = overview.view.scheme == .dark ? Self.darkColors : Self.lightColors
        values.merge(colors as PageValues) { $1 }
        return values
    }

    private func product(_ product: SceneOverview.Product, at index: Int) -> PageValues {
        let frame = frame
        let inner = frame.width - 2 * Self.margin
        let width = (inner - (frame.columns - 1) * Self.gap) / frame.columns
        let column = index % frame.columns
        let shift = (isRightToLeft ? frame.columns - 1 - column : column) * (width + Self.gap)
        let label = Self.fitted(product.label, Double(width - 16), Self.labelUnit)
        let labelWidth = Int(Self.columns(label) * Self.labelUnit) + 10
        let isBuyable = product.state == .buyable
        return [
            "x": frame.x + Self.margin + shift, "y": Self.top + index / frame.columns * (Self.cardHeight + Self.gap),
            "cardWidth": width, "cardHeight": Self.cardHeight,
            "iconX": isRightToLeft ? width - 24 : 5, "iconCenter": isRightToLeft ? width - 14 : 15,
            "textX": isRightToLeft ? width - 28 : 28,
            "title": Self.fitted(product.title, Double(width - 32), Self.titleUnit),
            "icon": product.icon.map { SceneExport.address(of: $0.data, $0.mediaType) } ?? false,
            "art": Self.artColors[product.position % Self.artColors.count],
            "initial": CardValues.initial(product.title),
            "isBuyable": isBuyable, "label": (product.state == .owned ? "✓ " : "") + label,
            "labelWidth": labelWidth, "buttonX": isRightToLeft ? width - 5 - labelWidth : 5,
            "buttonCenter": isRightToLeft ? width - 5 - labelWidth / 2 : 5 + labelWidth / 2,
            "labelX": isRightToLeft ? width - 6 : 6,
            "labelColor": Self.labelColor(product.state, overview.view.scheme),
        ]
    }

    // MARK: Texts

    /// Returns the beginning of a text that fits into a width, because SVG neither wraps nor shortens text.
    static func fitted(_ text: String, _ width: Double, _ unit: Double) -> String {
        let limit = width / unit
        guard columns(text) > limit else { return text }
        var (beginning, used) = ("", 1.0)
        for character in text {
            used += columns(character)
            guard used <= limit else { break }
            beginning.append(character)
        }
        return beginning + "…"
    }

    private static func columns(_ text: String) -> Double { text.reduce(0) { $0 + columns($1) } }

    /// Returns the width of a character as a multiple of a narrow one's: ideographs and emoji are wide.
    private static func columns(_ character: Character) -> Double {
        (character.unicodeScalars.first?.value ?? 0) >= 0x1100 ? 1.9 : 1
    }

    // MARK: Colors

    /// Colors of the style sheet for a light appearance.
    private static let lightColors = [
        "ground": "#f4f2ee", "surface": "#ffffff", "raised": "#faf9f6", "line": "#d3cec4", "ink": "#1b222b",
        "accent": "#0c6457", "onAccent": "#ffffff", "soft": "#e2f0ed", "muted": "#57606c", "warning": "#7a4b00",
    ]
    /// Colors of the style sheet for a dark appearance.
    private static let darkColors = [
        "ground": "#131619", "surface": "#1c2126", "raised": "#23292f", "line": "#4a545e", "ink": "#eef1f4",
        "accent": "#74d6c5", "onAccent": "#06241f", "soft": "#1d3935", "muted": "#a9b3bf", "warning": "#f1bd66",
    ]
    /// Colors of products without an icon.
    private static let artColors = [
        "#215470", "#804a30", "#405a30", "#574478", "#7d3847", "#195c52", "#6a501c", "#3b4b72",
    ]

    private static func labelColor(_ state: ShopCard.State, _ scheme: PreviewView.Scheme) -> String {
        let colors = scheme == .dark ? darkColors : lightColors
        let name =
            switch state {
            case .buyable: "onAccent"
            case .owned: "accent"
            case .pending: "warning"
            case .notOffered: "muted"
            }
        return colors[name] ?? ""
    }
}
