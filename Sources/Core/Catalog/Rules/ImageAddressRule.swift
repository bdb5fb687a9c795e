internal import VitrinePropertyList
internal import VitrineSupport

/// Rule about the addresses of images, which must be `https` addresses: images with other addresses are not fetched.
struct ImageAddressRule: ProductRule {
    static let identifier = "image-address"
    static let explanation =
        "An image with an address that does not begin with https:// is not fetched, and never shown."
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
            guard let text, text.contains("://"), !text.lowercased().hasPrefix("https://")
            else { return nil }
            return finding(
                .warning, "\(key.name) \(WebAddress.printed(text).quoted) is not an https address",
                at: declaration[key]?.position)
        }
    }

    /// Returns `true` for a file name or an `https` address. The bytes are examined, because searching a string takes
    /// far longer.
    private static func isUsual(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        !text.contains(UInt8(ascii: ":")) || text.begins(with: "https://")
    }
}
