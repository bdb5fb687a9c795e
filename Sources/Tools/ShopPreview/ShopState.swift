internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineStoreSimulator
internal import VitrineSupport

/// State of a session after a change. Pages are created from it without further requests to the store or the manager.
struct ShopState: Sendable {
    let catalog: Catalog
    let listings: [ProductListing]
    let storeSnapshotDate: Date?
    let subscriptions: [CustomerSubscription]
    let wallets: [ShopWallet]
    let transactions: [ShopTransaction]
    let pending: [ShopTransaction]
    let clock: Date
    let status: String
    let originalBuild: String?
    /// Identifiers of products whose content the preview replaces, because it is only on web servers.
    let absentContent: Set<String>

    /// Maximum number of transactions on a page.
    private static let mostTransactions = 200

    init(of session: PreviewSession, _ source: PreviewCatalog) async {
        let manager = session.manager
        listings = manager.listing
        catalog = manager.catalog.current ?? source.catalog
        storeSnapshotDate = manager.catalog.storeSnapshotDate
        subscriptions = manager.subscriptions
        let names = Set(source.wallets).union(manager.wallets.balances.keys).sorted()
        wallets = names.map { name in
            let balance: Int? = if case .known(let units) = manager.wallets.balance(for: name) { units } else { nil }
            return ShopWallet(name: name, balance: balance)
        }
        clock = session.store.clock.now
        status = manager.status.description
        originalBuild = manager.purchases.originalPurchase?.version
        absentContent = AbsentContent.products(in: catalog, without: session.setup.content)
        var (made, waiting): ([SimulatedTransaction], [SimulatedTransaction]) = ([], [])
        do {
            made = try await session.store.transactions()
            waiting = try await session.store.pendingPurchases()
        } catch {
            // If the store cannot be read, the page shows no transactions.
        }
        let shown = { (transactions: [SimulatedTransaction]) in
            transactions.suffix(Self.mostTransactions).map { transaction in
                ShopTransaction(
                    transaction,
                    title: manager.listing(for: transaction.productIdentifier)?.title ?? transaction.productIdentifier)
            }
        }
        transactions = shown(made).reversed()
        pending = shown(waiting)
    }

    /// Number of products that can be bought at the moment.
    var offeredCount: Int { listings.count(where: \.isOffered) }
}

extension ShopTransaction {
    fileprivate init(_ transaction: SimulatedTransaction, title: String) {
        let state: String? =
            if transaction.isPending {
                transaction.isInterrupted ? "waits for the customer" : "waits for approval"
            } else if transaction.revocationDate != nil {
                "refunded"
            } else if transaction.isRenewal {
                "renewal"
            } else {
                nil
            }
        self.init(
            identifier: transaction.id, product: transaction.productIdentifier, title: title.asTitle,
            dateText: transaction.purchaseDate.minute, quantity: transaction.quantity,
            order: transaction.orderIdentifier,
            canBeRefunded: !transaction.isPending && transaction.revocationDate == nil,
            isInterrupted: transaction.isPending && transaction.isInterrupted, state: state)
    }
}

extension ShopSubscription {
    init(_ subscription: CustomerSubscription, title: String) {
        self.init(
            product: subscription.productIdentifier, title: title.asTitle, text: subscription.details,
            isActive: subscription.isActive, isRenewing: subscription.isRenewing,
            needsConsent: subscription.priceIncrease == .pending)
    }
}
