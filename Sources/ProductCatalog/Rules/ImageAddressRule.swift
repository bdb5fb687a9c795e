internal import PropertyList

/// Rule about the addresses of images, which must be `https` addresses: images are not fetched from others.
struct ImageAddressRule: ProductRule {
    static let identifier = "image-address"
    static let explanation =
        "An image with an address that does not begin with https:// is not fetched, and never shown."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        let images = [
            (CatalogKey.productIcon, declaration.product.productIcon),
            (.featuredImage, declaration.product.featuredImage),
        ]
        return images.compactMap { key, text in
            // A search for a byte first: most values are file names, and a search for a text takes far longer.
            guard let text, text.utf8.contains(UInt8(ascii: ":")), !text.hasPrefix("https://"), text.contains("://"),
                !text.lowercased().hasPrefix("https://")
            else { return nil }
            return finding(
                .warning, "\(key.name) \(text.quoted) is not an https address", at: declaration[key]?.position)
        }
    }
}
