/// Changes for customers and apps when one catalog replaces another.
public struct CatalogComparison: Sendable {
    /// Severity of a change, in ascending order.
    public enum Effect: String, Sendable, Hashable, CaseIterable, Comparable {
        /// The change affects neither the products that customers own nor those that they can buy.
        case safe
        /// The products that customers can buy, or the conditions of a purchase, change.
        case offer
        /// Existing apps that depend on the old catalog are affected.
        case olderApps
        /// Customers lose something that they own.
        case takesAway

        public static func < (left: Effect, right: Effect) -> Bool {
            (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
        }
    }

    /// A difference between the older and the newer catalog.
    public struct Change: Sendable, Hashable {
        public let effect: Effect
        /// Identifier of the changed product; `nil` for the catalog itself.
        public let product: String?
        /// Description of the change, as a predicate of the product or catalog.
        public let message: String

        package init(effect: Effect, product: String?, message: String) {
            self.effect = effect
            self.product = product
            self.message = message
        }
    }

    /// Changes in the order of the older catalog's products, followed by the products that only the newer catalog has.
    public private(set) var changes: [Change] = []

    public init(from old: Catalog, to new: Catalog) {
        compareVersions(old, new)
        compareWallets(old, new)
        let otherContents = old.bundles.ancestors(
            ofEach: old.products.indices.filter { index in
                let product = old.products[index]
                return new[product.identifier]?.childProducts != product.childProducts
            })
        for (index, product) in old.products.enumerated() {
            if let other = new[product.identifier] {
                compare(product, other)
                if otherContents[index] != nil { compareContents(of: product.identifier, old, new) }
            } else {
                let contents = old.contents(of: product.identifier)
                guard product.kind != .autoRenewableSubscription else {
                    addRemoval(ofSubscription: product.identifier, with: contents)
                    continue
                }
                add(
                    contents.isEmpty ? .offer : .takesAway, product.identifier,
                    contents.isEmpty
                        ? "is removed: it is no longer sold" + (product.kind == .consumable ? "" : ", but stays owned")
                        : "is removed: its owners lose \(contents.shown)")
            }
        }
        for product in new.products where old[product.identifier] == nil {
            add(.offer, product.identifier, "is new")
        }
    }

    mutating func add(_ effect: Effect, _ product: String?, _ message: String) {
        changes.append(Change(effect: effect, product: product, message: message))
    }

    private mutating func compareVersions(_ old: Catalog, _ new: Catalog) {
        guard let before = old.version else { return }
        guard let after = new.version else {
            return add(
                .olderApps, nil, "no longer has a catalogVersion: apps that have seen version \(before) reject it")
        }
        if after < before {
            add(
                .olderApps, nil,
                "has a lower catalogVersion, \(after) instead of \(before): apps that have seen the higher one "
                    + "reject it")
        }
    }

    /// Compares wallets. A wallet that is not declared is compared as one with default values.
    private mutating func compareWallets(_ old: Catalog, _ new: Catalog) {
        for key in Set(old.wallets.keys).union(new.wallets.keys).sorted() {
            let (before, after) = (old.wallets[key] ?? CatalogWallet(), new.wallets[key] ?? CatalogWallet())
            if before.startingBalance != after.startingBalance {
                add(
                    after.startingBalance < before.startingBalance ? .takesAway : .offer, nil,
                    "starts the wallet \(key.quoted) with \(after.startingBalance) instead of "
                        + "\(before.startingBalance)")
            }
            if before.refundPolicy != after.refundPolicy {
                let isDebt = after.refundPolicy == .debt
                add(
                    isDebt ? .olderApps : .offer, nil,
                    "has the refundPolicy \(after.refundPolicy.rawValue) instead of \(before.refundPolicy.rawValue) "
                        + "for the wallet \(key.quoted)\(isDebt ? ": its balance may become negative" : "")")
            }
        }
    }

    // The few keys with such messages: to look at all keys of each product would take a fifth longer.
    private static let affectingSale = CatalogKey.rows.filter { $0.comparison?.message == .sale }
    private static let affectingPresentation = CatalogKey.rows.filter(\.isPresentation)

    private mutating func compare(_ old: CatalogProduct, _ new: CatalogProduct) {
        let name = old.identifier
        if old.kind != new.kind {
            let isRenewed = old.kind == .autoRenewableSubscription && new.kind != .unknown
            let isLost = isRenewed || new.kind == .consumable && old.kind != .unknown
            add(
                isLost ? .takesAway : .offer, name,
                "is \(new.kind.rawValue) instead of \(old.kind.rawValue)"
                    + (isRenewed ? ": \(Self.undeliveredRenewals(until: "the types in catalog and store agree"))" : ""))
        }
        if old.storageKey != new.storageKey {
            add(.olderApps, name, "is credited to \(new.storageKey.shown) instead of \(old.storageKey.shown)")
        }
        for key in Self.affectingSale where key.differs(old, new) {
            let (before, after) = (key.comparison?.plainValue(old) ?? "none", key.comparison?.plainValue(new) ?? "none")
            add(.offer, name, "has \(key.name) \(after) instead of \(before)")
        }
        compareAppVersions(old, new)
        compareContent(old, new)
        compareSubscriptions(old, new)
        if old.grandfathered != new.grandfathered {
            add(.offer, name, "has different grandfathering rules: existing grants are kept")
        }
        let shown = Self.affectingPresentation.filter { $0.differs(old, new) }.map(\.name)
        if !shown.isEmpty { add(.safe, name, "has a different \(shown.joined(separator: ", "))") }
    }

    private mutating func compareAppVersions(_ old: CatalogProduct, _ new: CatalogProduct) {
        let (before, after) = (old.minimumAppVersion, new.minimumAppVersion)
        guard before != after else { return }
        if let after, before.map({ $0 < after }) ?? true {
            add(.olderApps, old.identifier, "is no longer offered to apps before version \(after)")
        } else {
            let which = after.map { "from version \($0) on" } ?? "of every version"
            add(.offer, old.identifier, "is now offered to apps \(which)")
        }
    }

    private mutating func compareContent(_ old: CatalogProduct, _ new: CatalogProduct) {
        let name = old.identifier
        switch (old.hostedContentPath, new.hostedContentPath) {
        case (nil, nil):
            guard old.localContentPath != new.localContentPath else { return }
            add(.olderApps, name, "has its content at a different path of the app")
        case (nil, _?): add(.offer, name, "now has hosted content: its owners can download it")
        case (_?, nil): add(.takesAway, name, "no longer has hosted content")
        case (let before?, let after?) where before != after:
            add(.olderApps, name, "has its content at a different path: installed content is downloaded again")
        case (_?, _?): break
        }
        if new.hostedContentPath != nil { compareServedContent(name, old.content, new.content) }
    }

    private mutating func compareServedContent(_ name: String, _ old: CatalogContent?, _ new: CatalogContent?) {
        let (old, new) = (old ?? CatalogContent(), new ?? CatalogContent())
        if old.version != new.version {
            add(
                .safe, name,
                "has contentVersion \(new.version.shown) instead of \(old.version.shown)")
        }
        if !old.urls.isEmpty, new.urls.isEmpty {
            add(.olderApps, name, "no longer has an address for its content")
        } else if old.urls != new.urls {
            add(.safe, name, "has its content at a different address")
        }
        if old.version == new.version, old.digest != new.digest || old.length != new.length {
            add(.safe, name, "has different content with the same contentVersion")
        }
    }

    /// Compares the products that a bundle unlocks, including those through nested bundles.
    private mutating func compareContents(of name: String, _ old: Catalog, _ new: Catalog) {
        let (before, after) = (old.contents(of: name), new.contents(of: name))
        let (known, retained) = (Set(before), Set(after))
        let (lost, won) = (before.filter { !retained.contains($0) }, after.filter { !known.contains($0) })
        let isSubscription = new[name]?.kind.isSubscription == true
        if !lost.isEmpty {
            let consequence = ": subscribers keep \(lost.pronoun) until the period recorded on their device ends"
            add(.takesAway, name, "no longer contains \(lost.shown)" + (isSubscription ? consequence : ""))
        }
        if !won.isEmpty {
            let consequence = ": subscribers receive \(won.pronoun) at once"
            add(.safe, name, "now contains \(won.shown)" + (isSubscription ? consequence : ""))
        }
    }
}

extension Catalog {
    /// Returns all products that a product contains, directly or indirectly, without the product itself.
    fileprivate func contents(of identifier: String) -> [String] {
        guard let index = index(of: identifier) else { return [] }
        return bundles.descendants(of: index).dropFirst().map { products[$0].identifier }
    }
}

extension [String] {
    fileprivate var pronoun: String { count == 1 ? "it" : "them" }

    var shown: String {
        let shown = prefix(5).map(\.quoted).joined(separator: ", ")
        return count > 5 ? "\(shown) and \(count - 5) more" : shown
    }
}

extension String? {
    var shown: String { map(\.quoted) ?? "nothing" }
}

extension Int? {
    var shown: String { map(String.init) ?? "none" }
}
