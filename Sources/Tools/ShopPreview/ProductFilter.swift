internal import Foundation
internal import Vitrine
internal import VitrineShopContent

/// Filter of the products in a shop.
package struct ProductFilter: Sendable, Hashable {
    package enum State: String, Sendable, CaseIterable {
        case buyable, owned, unavailable
    }

    /// Part of the title or the identifier, regardless of case and accents; empty for all products.
    package let text: String
    /// State of the products; `nil` for any.
    package let state: State?

    /// Maximum length of the text in characters.
    private static let longestText = 100

    package init(text: String = "", state: State? = nil) {
        self.text = String(text.prefix(Self.longestText)).trimmingCharacters(in: .whitespacesAndNewlines)
        self.state = state
    }

    package var isEmpty: Bool { text.isEmpty && state == nil }

    func accepts(_ listing: ProductListing) -> Bool {
        isState(of: listing)
            && (text.isEmpty || listing.title.contains(ignoringCase: text) || listing.id.contains(ignoringCase: text))
    }

    private func isState(of listing: ProductListing) -> Bool {
        switch (state, ProductState(listing)) {
        case (nil, _), (.buyable, .buyable), (.owned, .owned): true
        case (.unavailable, .notOffered), (.unavailable, .unfinished): true
        default: false
        }
    }
}

extension String {
    fileprivate func contains(ignoringCase part: String) -> Bool {
        range(of: part, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    }
}
