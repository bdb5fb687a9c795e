import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Catalog, store response and owned products, with the expected listing as text.
struct ListingCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let catalog: String
    let store: [StoreProduct]
    let facts: [Fact]
    let languages: [String]
    let storefront: String?
    /// Language of the store's texts.
    let storeLanguage: String?
    let context: ListingContext
    /// Identifiers of the listed products; `nil` for all products of the catalog.
    let asked: [String]?
    let expected: String

    /// - Parameters:
    ///   - products: XML elements in the catalog's array.
    ///   - expected: Expected listing, with a line for each value that a screen may show.
    init(
        _ id: String, _ products: String, store: [StoreProduct], owned facts: [Fact] = [],
        languages: [String] = ["en-US"], asked: [String]? = nil, storefront: String? = "USA",
        storeLanguage: String? = nil, _ change: (inout ListingContext) -> Void = { _ in }, is expected: String
    ) {
        testDescription = id
        catalog = "<array>\(products)</array>"
        self.store = store
        self.facts = facts
        self.asked = asked
        self.languages = languages
        self.storefront = storefront
        self.storeLanguage = storeLanguage
        var context = ListingContext()
        change(&context)
        self.context = context
        self.expected = expected
    }

    func listings() throws -> [ProductListing] {
        let catalog = Catalog(document: try PlistText.read(PlistText.document(catalog)))
        let entries = facts.enumerated().map { index, fact in
            LedgerEntry(
                sequence: Int64(index + 1), recordedAt: Date(timeIntervalSince1970: 1_790_000_000), fact: fact)
        }
        return ProductListing.listings(
            for: try EntitlementSnapshot(catalog: catalog, entries: entries),
            store: StoreSnapshot(
                requested: asked ?? catalog.products.map(\.identifier), products: store,
                date: Date(timeIntervalSince1970: 1_790_000_000), storefront: storefront, language: storeLanguage),
            languages: languages, context: context)
    }

    /// Returns the listings as text, with every white space character replaced by a plain space.
    func text() throws -> String {
        let text = try listings().flatMap(\.lines).joined(separator: "\n")
        return String(text.map { $0.isWhitespace && !$0.isNewline ? " " : $0 })
    }
}

extension ProductListing {
    /// Lines with the values that a screen may show.
    fileprivate var lines: [String] {
        var lines = ["\(id): \(title)"]
        if !description.isEmpty { lines.append("  \(description)") }
        lines.append("  \(displayPrice ?? "no price"), \(offer.description), \(ownership.description)")
        if let displayPricePerUnit { lines.append("  \(displayPricePerUnit) each") }
        guard let bundle else { return lines }
        let children = bundle.children.map {
            "\($0.title) \($0.displayPrice ?? "no price")\($0.isOwned ? " (owned)" : "")"
        }
        lines.append("  contains \(children.joined(separator: ", "))")
        if let separate = bundle.displaySeparatePrice {
            lines.append("  one by one \(separate), of them missing \(bundle.displayRemainingPrice ?? "unknown")")
        }
        if let saving = bundle.displaySaving, let percentage = bundle.displaySavedPercentage {
            lines.append("  saves \(saving) (\(percentage))")
        }
        return lines
    }
}

extension Offer {
    fileprivate var description: String {
        switch self {
        case .offered: "offered"
        case .notOffered(let reason): "not offered: \(reason)"
        }
    }
}

extension Ownership {
    fileprivate var description: String {
        switch self {
        case .owned(let reasons): "owned " + reasons.map(\.description).joined(separator: " and ")
        case .notOwned: "not owned"
        case .unknown: "maybe owned"
        }
    }
}

extension Ownership.Reason {
    fileprivate var description: String {
        switch self {
        case .transaction: "by purchase"
        case .grant(let reason, _, _, _, _): "as \(reason)"
        case .bundle(let identifier): "by \(identifier)"
        case .formerBundle(let identifier, _, _): "by \(identifier) of then"
        }
    }
}

/// Returns a product of the store, with its formatted price.
func sold(
    _ identifier: String, _ price: String, _ displayPrice: String, _ currency: String = "USD",
    kind: ProductKind = .nonConsumable, name: String = "", description: String = ""
) -> StoreProduct {
    StoreProduct(
        identifier: identifier, kind: kind, displayName: name, description: description,
        price: Decimal(string: price, locale: Locale(identifier: "en_US_POSIX")) ?? .nan, currencyCode: currency,
        displayPrice: displayPrice)
}

/// Returns a non-consumable of a catalog.
func guide(_ identifier: String, _ keys: String = "") -> String {
    "<dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><false/>\(keys)</dict>"
}

/// Returns a non-consumable of a catalog that contains other products.
func pack(_ identifier: String, of children: [String], _ keys: String = "") -> String {
    guide(
        identifier,
        "<key>childProducts</key><array>\(children.map { "<string>\($0)</string>" }.joined())</array>\(keys)")
}

/// Returns a consumable of a catalog that credits a wallet.
func coins(_ identifier: String, _ value: Int) -> String {
    """
    <dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><true/>
    <key>storageKey</key><string>coins</string><key>productValue</key><integer>\(value)</integer></dict>
    """
}

/// Returns a dictionary of texts by language, with its key.
func texts(_ key: String, _ texts: KeyValuePairs<String, String>) -> String {
    "<key>\(key)</key><dict>"
        + texts.map { "<key>\($0.key)</key><string>\($0.value)</string>" }.joined() + "</dict>"
}
