internal import VitrinePropertyList

struct ContentAddressRule: SingleFindingRule {
    static let identifier = "content-address"
    static let explanation =
        "StoreKit 2 downloads no content of products. A product with hosted content is offered only if the catalog has its "
        + "contentURL, or if the app itself contains the content in a folder of packages."
    static let concerns: ProductTraits = .keys(.hosted)

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        guard declaration.product.isHosted, declaration.product.kind != .consumable,
            declaration.product.localContentPath != nil, declaration[.contentURL] == nil
        else { return nil }
        return finding(
            .note,
            "\(declaration.displayName) is hosted without a contentURL, and StoreKit 2 downloads no content: put the "
                + "content on a web server with 'vitrine content pack --update-catalog', or deliver it with Apple's "
                + "Background Assets",
            at: declaration[.hosted]?.position)
    }
}
