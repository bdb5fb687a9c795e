import Testing
import Vitrine
import VitrineCatalog
import VitrineDeviceExchange
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineTestSupport

/// Call of a manager within a hook of the app.
struct HookCase: Sendable, CustomTestStringConvertible {
    let id: String
    /// Hooks within which the call is refused. Within the others it is answered.
    let refusing: Set<AppHook>
    private let call: @Sendable (CatalogManager) async throws -> Void

    /// Reason of the receipt verifier, by which an answer is told from a refusal of the call.
    static let receiptDoubt = "the receipt is checked later"

    init(
        _ id: String, refusing: Set<AppHook> = [], _ call: @escaping @Sendable (CatalogManager) async throws -> Void
    ) {
        self.id = id
        self.refusing = refusing
        self.call = call
    }

    var testDescription: String { id }

    /// Makes the call.
    ///
    /// - Returns: `refused` if the call was refused because of the hook, otherwise `answered`.
    func outcome(with manager: CatalogManager) async -> String {
        do {
            try await call(manager)
            return "answered"
        } catch {
            return Self.isRefusal(error) ? "refused" : "answered"
        }
    }

    private static func isRefusal(_ error: any Error) -> Bool {
        switch error {
        case let error as PurchaseFailure: error.code == .withinHook
        case let error as StoreError: error.code == .withinHook
        case let error as DiscardError: error.code == .notRejected
        case let error as OwnedContentError: error.code == .stopped
        case let error as ContentError: error.code == .notAllowed
        case ReceiptFailure.undetermined(let reason): reason != receiptDoubt
        default: false
        }
    }
}

extension HookCase {
    private static let everywhere = Set(AppHook.allCases)
    private static let rome = String.voyager("rome")

    static let restore = HookCase("restore", refusing: everywhere) { _ = try await $0.restore() }

    static let all = loads + purchases + content + records

    private static let loads = [
        HookCase("loadProducts") { await $0.loadProducts() },
        HookCase("enterForeground") { await $0.enterForeground() },
        HookCase("catalog.deleteCache") { await $0.catalog.deleteCache() },
        HookCase("catalog.deleteCachedCatalog") { try await $0.catalog.deleteCachedCatalog() },
        HookCase("catalog.status") { _ = await $0.catalog.status() },
        HookCase("catalog.fetchProducts") { _ = try await $0.catalog.fetchProducts([.voyager("porto")]) },
        HookCase("catalog.removeAllFromCache") { await $0.catalog.removeAllFromCache() },
        HookCase("sheets.manageSubscriptions") { try await $0.sheets.manageSubscriptions() },
        HookCase("stop") { await $0.stop() },
    ]

    private static let purchases = [
        restore,
        HookCase("purchase", refusing: everywhere) { try await $0.purchase(.voyager("porto")).orThrow() },
        HookCase("purchase of the same product", refusing: everywhere) {
            try await $0.purchase(.voyager("lisbon")).orThrow()
        },
        HookCase("purchase of a store product", refusing: everywhere) {
            let product = try #require($0.catalog.storeProduct(for: .voyager("porto")))
            try await $0.purchase(product: product).orThrow()
        },
        HookCase("purchase with closures", refusing: everywhere) { manager in
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isKnown = manager.purchase(
                    .voyager("porto"),
                    handlers: PurchaseHandlers(
                        onSuccess: { _ in continuation.resume() }, onFailure: { continuation.resume(throwing: $0) }))
                if !isKnown { continuation.resume() }
            }
        },
        HookCase("purchases.pending") { _ = await $0.purchases.pending() },
        HookCase("purchases.retryPending", refusing: everywhere) { try await $0.purchases.retryPending() },
        HookCase("purchases.deliverUnfinished") { await $0.purchases.deliverUnfinished() },
        // The receipt verifier holds up no transaction, and the store has none.
        HookCase("purchases.discard", refusing: everywhere.subtracting([.receipt])) {
            try await $0.purchases.discard("1")
        },
        HookCase("purchases.promoted") { _ = await $0.purchases.promoted },
        HookCase("purchases.buyPromoted") { await $0.purchases.buyPromoted() },
        HookCase("purchases.refreshReceipt", refusing: [.receipt]) { try await $0.purchases.refreshReceipt() },
    ]

    private static let content = [
        HookCase("content.download", refusing: [.download]) { try await $0.content.download(for: rome) },
        HookCase("content.repair", refusing: [.download]) { try await $0.content.repair(for: rome) },
        HookCase("content.remove", refusing: [.download]) { try await $0.content.remove(for: rome) },
        HookCase("content.check") { _ = try await $0.content.check(for: rome) },
        HookCase("content.prioritize") { await $0.content.prioritize(for: rome) },
        HookCase("content.pauseDownload", refusing: [.download]) { try await $0.content.pauseDownload(of: rome) },
        HookCase("content.pauseDownloads", refusing: [.download]) { try await $0.content.pauseDownloads() },
        HookCase("content.resumeDownload") { await $0.content.resumeDownload(of: rome) },
        HookCase("content.resumeDownloads") { await $0.content.resumeDownloads() },
        HookCase("content.cancelDownload", refusing: [.download]) { try await $0.content.cancelDownload(of: rome) },
    ]

    private static let records = [
        HookCase("unlock and lock") {
            try await $0.unlock(.voyager("porto"))
            try await $0.lock(.voyager("porto"))
        },
        HookCase("wallets.deposit and spend") {
            try await $0.wallets.deposit(5, in: "coins", token: "gift", because: "a gift")
            try await $0.wallets.spend(2, from: "coins", token: "map")
        },
        HookCase("ledger.settleLoss") { try await $0.ledger.settleLoss(because: "reviewed") },
        HookCase("ledger.check") { _ = try await $0.ledger.check() },
        HookCase("ledger.repair") { _ = try await $0.ledger.repair() },
        HookCase("ledger.importDocument") {
            try await $0.ledger.importDocument($0.ledger.export()) { _ in true }
        },
        HookCase("devices.exchange") {
            _ = try await $0.devices.exchange(at: MemoryTransport(), ExchangeOptions())
        },
        HookCase("devices.all") { _ = try await $0.devices.all() },
        HookCase("server.enroll") { try await $0.server.enroll() },
    ]
}

extension PurchaseAnswer {
    /// Throws the failure of a purchase.
    fileprivate func orThrow() throws {
        if case .failed(let failure) = self { throw failure }
    }
}
