internal import Foundation
internal import VitrineHTTPServing
internal import VitrineShopPreview

/// View of a shop (language, storefront, device and color scheme) as URL query, so that a link opens the same view.
struct ViewQuery: Sendable, Hashable {
    var view = PreviewView(device: .computer)
    /// `true` if the query contains no color scheme, so that the page uses the browser's.
    var followsBrowser = true

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
    }

    /// Query without the question mark. Its values consist of letters, digits, hyphens and underscores.
    var text: String {
        [
            view.language.map { "language=\($0)" }, view.storefront.map { "storefront=\($0)" },
            "device=\(view.device.rawValue)", followsBrowser ? nil : "scheme=\(view.scheme.rawValue)",
        ].compactMap(\.self).joined(separator: "&")
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
