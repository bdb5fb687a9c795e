internal import PropertyList

/// Rule about the addresses of images, which must be `https` addresses: images are not fetched from others.
struct ImageAddressRule: ProductRule {
    static let identifier = "image-address"
    static let explanation =
        "An image with an address that does not begin with https:// is not fetched, and never shown."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        [CatalogKey.productIcon, .featuredImage].compactMap { key in
            guard let value = declaration[key], let text = value.string, text.contains("://"),
                !text.lowercased().hasPrefix("https://")
            else { return nil }
            return finding(.warning, "\(key.name) \(text.quoted) is not an https address", at: value.position)
        }
    }
}
