/// Product declarations of a catalog in file order, with indexes for the rules that compare products.
///
/// The indexes are built while the declarations are read. A second pass over a large catalog would be slow, because its
/// first declarations have already left the processor's cache.
struct DeclarationList: Sendable {
    private(set) var declarations: [ProductDeclaration] = []
    /// Index of the first declaration of each product identifier, by the identifier.
    private(set) var firsts: [String: Int] = [:]
    /// Indexes of repeated declarations of a product identifier, each with the index of the identifier's first
    /// declaration.
    private(set) var repeated: [(index: Int, first: Int)] = []
    /// Indexes of the declarations whose identifier has an uppercase letter in ASCII.
    private(set) var capitalized: [Int] = []
    /// Indexes of the declarations with children.
    private(set) var bundles: [Int] = []
    /// Indexes of the auto-renewable subscriptions.
    private(set) var subscriptions: [Int] = []
    /// Indexes of the declarations with a wallet key, also of products that are not consumables.
    private(set) var withWallet: [Int] = []
    /// Indexes of the declarations with `ignoredRules`.
    private(set) var withIgnoredRules: [Int] = []
    /// Wallet keys of all declarations, also of products that are not consumables.
    private(set) var wallets: Set<String> = []
    /// Paths of hosted content, with the indexes of their declarations.
    private(set) var hosted: [(path: ContentPath, index: Int)] = []

    mutating func reserveCapacity(_ count: Int) {
        declarations.reserveCapacity(count)
        firsts.reserveCapacity(count)
    }

    mutating func append(_ declaration: ProductDeclaration) {
        let index = declarations.count
        declarations.append(declaration)
        let product = declaration.product
        if !declaration.children.isEmpty { bundles.append(index) }
        if product.kind == .autoRenewableSubscription { subscriptions.append(index) }
        if let wallet = product.storageKey {
            withWallet.append(index)
            wallets.insert(wallet)
        }
        if declaration.hasIgnoredRules { withIgnoredRules.append(index) }
        if let path = product.hostedContentPath, !path.isEmpty { hosted.append((path, index)) }
        let identifier = product.identifier
        let isCapitalized = identifier.utf8.contains { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
        if isCapitalized { capitalized.append(index) }
        guard !identifier.isEmpty, let first = firsts.updateValue(index, forKey: identifier) else { return }
        firsts[identifier] = first
        repeated.append((index, first))
    }
}
