internal import Foundation
internal import VitrineHTTPServing
internal import VitrineShopPreview

/// View of a shop (language, storefront, device, color scheme and filter) as URL query, so that a link opens the same view.
struct ViewQuery: Sendable, Hashable {
    var view = PreviewView(device: .computer)
    /// `true` if the query contains no color scheme, so that the page uses the browser's.
    var followsBrowser = true
    var filter = ProductFilter()

    init() {}

    /// Creates the query for the view of a scene.
    init(_ view: PreviewView) {
        self.view = view
        followsBrowser = false
    }

    /// Parses the values of a query, and ignores unknown ones.
    init(_ query: [String: String]) {
        view.language = query["language"].flatMap { Self.isTag($0) ? $0 : nil }
        view.storefront = query["storefront"].flatMap { Self.isTag($0) ? $0 : nil }
        if let device = query["device"].flatMap(PreviewView.Device.init) { view.device = device }
        if let scheme = query["scheme"].flatMap(PreviewView.Scheme.init) {
            view.scheme = scheme
            followsBrowser = false
        }
        filter = ProductFilter(
            text: query["search"] ?? "", state: query["state"].flatMap(ProductFilter.State.init))
    }

    /// Fields of the view without the filter.
    var viewFields: [(name: String, value: String)] {
        [
            ("language", view.language), ("storefront", view.storefront), ("device", view.device.rawValue),
            ("scheme", followsBrowser ? nil : view.scheme.rawValue),
        ].compactMap { name, value in value.map { (name, $0) } }
    }

    /// Query without the question mark.
    var text: String {
        let filters = [("search", filter.text), ("state", filter.state?.rawValue ?? "")].filter { !$0.1.isEmpty }
        return (viewFields + filters.map { (name: $0.0, value: $0.1) })
            .map { "\($0.name)=\($0.value.encodedForQuery)" }.joined(separator: "&")
    }

    /// Indicates that a text has the form of a language tag or country code.
    private static func isTag(_ text: String) -> Bool {
        (1...35).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0 < 0x80
                    && (Character(UnicodeScalar($0)).isLetter || Character(UnicodeScalar($0)).isNumber
                        || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_"))
            }
    }
}
