public import ProductCatalog

extension ContentRequest {
    /// What a catalog asks for. Without addresses where it names none that can be used.
    public init(_ product: CatalogProduct) {
        self.init(
            productIdentifier: product.identifier, version: product.content?.version, urls: product.content?.urls ?? [],
            digest: product.content?.digest, length: product.content?.length)
    }
}
