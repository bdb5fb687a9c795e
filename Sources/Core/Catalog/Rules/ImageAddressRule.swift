internal import Foundation
internal import VitrinePropertyList
internal import VitrineSupport

/// Rule about the addresses of images, which must be `https` addresses: images with other addresses are not fetched.
struct ImageAddressRule: ProductRule {
    static let identifier = "image-address"
    static let explanation =
        "An image is fetched, and shown, only from an address that begins with https://, without user name and password."
    static let concerns: ProductTraits = .keys(.productIcon, .featuredImage)

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        let areUsual = [CatalogKey.productIcon, .featuredImage].allSatisfy { key in
            declaration[key].map { $0.withUTF8(Self.isUsual) ?? true } ?? (declaration.keys != nil)
        }
        if areUsual { return [] }
        let images = [
            (CatalogKey.productIcon, declaration.product.productIcon),
            (.featuredImage, declaration.product.featuredImage),
        ]
        return images.compactMap { key, text in
            guard let text, text.contains("://"), let objection = Self.objection(to: text) else { return nil }
            return finding(
                .warning, "\(key.name) \(WebAddress.printed(text).quoted) \(objection)", at: declaration[key]?.position)
        }
    }

    private static func objection(to text: String) -> String? {
        guard text.lowercased().hasPrefix("https://") else { return "is not an https address" }
        guard let url = URL(string: text) else { return "is not an address" }
        return WebAddress.objection(to: url)
    }

    /// Returns `true` for a file name or an `https` address. The bytes are examined, because searching a string takes
    /// far longer.
    private static func isUsual(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.contains(UInt8(ascii: ":")) else { return true }
        let scheme: StaticString = "https://"
        guard text.count > scheme.utf8CodeUnitCount, text.begins(with: scheme) else { return false }
        let rest = UnsafeBufferPointer(rebasing: text[scheme.utf8CodeUnitCount...])
        return rest[0].isASCIILetterOrDigit && !rest.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: ":") }
    }
}
