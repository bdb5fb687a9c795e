internal import VitrineCatalog
internal import VitrinePropertyList

/// Findings about a catalog, with the products that they concern.
struct ShopFindings: Sendable {
    private(set) var all: [ShopFinding] = []
    private var positions: [String: [Int]] = [:]
    private(set) var counts: [ShopFinding.Severity: Int] = [:]

    /// Maximum number of findings on the card of a product.
    private static let mostForProduct = 10

    init() {}

    /// Creates findings from the diagnostics of a catalog.
    ///
    /// - Parameter document: Property list of the catalog.
    init(of catalog: Catalog, in document: PropertyListDocument) {
        guard !catalog.diagnostics.isEmpty else { return }
        let products = DeclaredProducts(document)
        for diagnostic in catalog.diagnostics {
            let severity: ShopFinding.Severity =
                switch diagnostic.severity {
                case .error: .error
                case .warning: .warning
                case .note: .note
                }
            let position = diagnostic.position
            append(
                ShopFinding(
                    severity: severity, message: diagnostic.message.asText, rule: diagnostic.rule,
                    line: position?.line, column: position?.column,
                    product: position.flatMap(products.identifier)))
        }
    }

    /// Returns the findings about a product.
    func of(_ product: String) -> [ShopFinding] {
        (positions[product] ?? []).prefix(Self.mostForProduct).map { all[$0] }
    }

    /// Maximum number of excluded products on a page.
    private static let mostDropped = 50

    /// Returns the products with an error that are not in a catalog, in the order of the file.
    func dropped(from catalog: Catalog) -> [DroppedProduct] {
        var (dropped, seen): ([DroppedProduct], Set<String>) = ([], [])
        for finding in all where finding.severity == .error {
            guard let product = finding.product, catalog.index(of: product) == nil, seen.insert(product).inserted else {
                continue
            }
            dropped.append(DroppedProduct(identifier: product.asTitle, findings: of(product)))
            if dropped.count == Self.mostDropped { break }
        }
        return dropped
    }

    private mutating func append(_ finding: ShopFinding) {
        if let product = finding.product { positions[product, default: []].append(all.count) }
        counts[finding.severity, default: 0] += 1
        all.append(finding)
    }
}

/// Products in a property list, in the order of the file, for mapping positions to products.
private struct DeclaredProducts {
    private let elements: [PropertyListValue]

    init(_ document: PropertyListDocument) {
        let root = document.root
        elements = (root.kind == .array ? root : root["products"])?.elements ?? []
    }

    /// Returns the identifier of the product at a position of the file; `nil` for a position outside of the products.
    func identifier(at position: SourcePosition) -> String? {
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = (low + high) / 2
            if elements[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        guard low > 0, !(low == elements.count && isAfterLast(position)) else { return nil }
        return elements[low - 1]["productIdentifier"]?.string ?? elements[low - 1].string
    }

    /// Indicates that a position is after the last product, such as in the declarations of wallets.
    private func isAfterLast(_ position: SourcePosition) -> Bool {
        guard let last = elements.last, last.kind == .dictionary else { return false }
        let end = last.entries.map(\.value).last.map(Self.end) ?? last.position
        return position > end
    }

    /// Returns the position of the last value inside a value.
    private static func end(of value: PropertyListValue) -> SourcePosition {
        var value = value
        while true {
            guard let next = value.kind == .array ? value.elements.last : value.entries.last?.value else {
                return value.position
            }
            value = next
        }
    }
}
