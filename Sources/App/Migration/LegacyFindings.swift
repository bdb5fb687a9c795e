internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrinePropertyList
internal import VitrineSupport

/// Data found in the storage of a legacy library, without duplicates. Units found for the same wallet are added up.
struct LegacyFindings {
    let catalog: Catalog
    private(set) var state = LegacyState()
    private var ownedIndexes: [OwnedKey: Int] = [:]
    private var balanceIndexes: [String: Int] = [:]
    private var unreadable: Set<LegacyState.Unreadable> = []

    /// Maximum number of unreadable items that are reported.
    private static let mostUnreadable = 1_000

    /// Key that identifies duplicate records of a purchase. For a product that is owned forever, one purchase is
    /// enough; for a product that is or may be a subscription, each transaction is for another period.
    private struct OwnedKey: Hashable {
        let identifier: String
        let transactionID: String?
    }

    init(catalog: Catalog) { self.catalog = catalog }

    /// Wallets of the catalog, in catalog order.
    var wallets: [String] {
        catalog.products.filter { $0.kind == .consumable || $0.kind == .unknown }.compactMap(\.storageKey)
            .withoutDuplicates
    }

    func kind(of identifier: String) -> ProductKind { catalog[identifier]?.kind ?? .unknown }

    /// Adds an owned product. A product that the catalog lists as a consumable cannot be owned, and is reported as
    /// unreadable.
    mutating func addOwned(_ product: LegacyState.OwnedProduct) {
        guard kind(of: product.identifier) != .consumable else {
            return addUnreadable(
                "\(product.identifier.quoted) is listed as owned, but is a consumable in the catalog",
                source: product.source)
        }
        let isForEver = kind(of: product.identifier) == .nonConsumable
        let key = OwnedKey(
            identifier: product.identifier, transactionID: isForEver ? nil : product.transactionID)
        guard let index = ownedIndexes[key] else {
            ownedIndexes[key] = state.owned.count
            state.owned.append(product)
            return
        }
        if let date = product.purchaseDate, date < state.owned[index].purchaseDate ?? .distantFuture {
            state.owned[index] = product
        }
    }

    mutating func addUnits(_ units: Int, to wallet: String, source: String) {
        guard units > 0 else {
            if units == 0 { state.emptyWallets.insert(wallet) }
            return
        }
        guard let index = balanceIndexes[wallet] else {
            balanceIndexes[wallet] = state.balances.count
            state.balances.append(LegacyState.Balance(wallet: wallet, units: units, source: source))
            return
        }
        let (sum, overflows) = state.balances[index].units.addingReportingOverflow(units)
        guard !overflows else {
            return addUnreadable("makes the balance of \(wallet.quoted) too large", source: source)
        }
        state.balances[index].units = sum
        if !state.balances[index].source.contains(source) { state.balances[index].source += " and \(source)" }
    }

    /// Adds the units that purchases of a consumable credit according to the catalog.
    mutating func addPurchases(_ count: Int, of product: CatalogProduct, source: String) {
        guard count > 0 else { return }
        guard let credit = product.credit(forQuantity: count) else {
            let reason =
                product.storageKey == nil || product.productValue == nil
                ? "the catalog names no wallet or no value for \(product.identifier.quoted)"
                : "\(count) purchases of \(product.identifier.quoted) are too many to be counted"
            return addUnreadable(reason, source: source)
        }
        addUnits(credit.amount, to: credit.wallet, source: source)
    }

    mutating func addContent(_ content: LegacyState.Content) { state.content.append(content) }

    mutating func addUnreadable(_ error: UnusableValue, source: String) {
        addUnreadable(error.reason, source: source, mayBeReadLater: error.mayBeReadLater)
    }

    mutating func addUnreadable(_ reason: String, source: String, mayBeReadLater: Bool = false) {
        let unreadable = LegacyState.Unreadable(
            source: source, reason: reason, mayBeReadLater: mayBeReadLater)
        guard state.unreadable.count < Self.mostUnreadable, self.unreadable.insert(unreadable).inserted else { return }
        state.unreadable.append(unreadable)
    }
}

/// Reader of property lists that a legacy library has written: only regular files, and no larger than the limits.
enum LegacyFile {
    /// Reads a property list.
    ///
    /// - Returns: `nil` if there is no such file.
    /// - Throws: ``UnusableValue`` if the file exists and cannot be read.
    static func propertyList(
        at url: URL, limits: PropertyListLimits = PropertyListLimits()
    ) throws(UnusableValue) -> PropertyListDocument? {
        guard let bytes = try bytes(of: url, limit: limits.size) else { return nil }
        return try propertyList(bytes, limits: limits)
    }

    static func propertyList(
        _ bytes: [UInt8], limits: PropertyListLimits
    ) throws(UnusableValue) -> PropertyListDocument {
        do {
            return try PropertyListDocument(bytes: bytes, limits: limits)
        } catch {
            throw UnusableValue(reason: error.description)
        }
    }

    private static func bytes(of url: URL, limit: Int) throws(UnusableValue) -> [UInt8]? {
        // Opening a pipe would wait for a process that writes to it.
        if let status = FileStatus(url), !status.isRegularFile { throw UnusableValue(reason: "is not a regular file") }
        do {
            return try BoundedFile.bytes(url, limit: limit)
        } catch {
            guard error.isMissing else { throw UnusableValue(reason: error.reason, mayBeReadLater: true) }
            return nil
        }
    }
}
