internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineHostedContent
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineStoreSimulator

/// Result of an action in a preview.
struct ActionResult: Sendable {
    let text: String
    let outcome: PreviewStep.Outcome

    static func done(_ text: String) -> ActionResult { ActionResult(text: text, outcome: .done) }

    static func refused(_ text: String) -> ActionResult { ActionResult(text: text, outcome: .refused) }
}

extension PreviewSession {
    /// Performs an action, and waits until the app has handled its consequences.
    ///
    /// - Parameters:
    ///   - action: Action to perform.
    ///   - number: Number of the step in the timeline. The token of a debit contains it.
    ///   - switches: Current switches of the preview, which the action may change.
    func perform(_ action: PreviewAction, number: Int, _ switches: inout PreviewSwitches) async -> ActionResult {
        let result = await attempt(action, number: number, &switches)
        await settle(isOffline: !switches.hasNetwork)
        return result
    }

    private func attempt(
        _ action: PreviewAction, number: Int, _ switches: inout PreviewSwitches
    ) async -> ActionResult {
        do {
            return switch action {
            case .buy(let product, let quantity): await buy(product, PurchaseOptions(quantity: quantity))
            case .buyOffer(let product, let offer): try await buy(product, with: offer)
            case .spend(let wallet, let units): try await spend(units, from: wallet, number)
            case .restore: try await restore()
            case .download(let product): try await download(product)
            case .removeContent(let product): try await removeContent(product)
            case .originalBuild(let build): try await setOriginalBuild(build)
            default: try await changeStore(action, &switches)
            }
        } catch let error as LedgerError {
            return ActionResult(
                text: "not done: \(error.reason)", outcome: error.code == .insufficientFunds ? .refused : .failed)
        } catch let error as SimulatedStoreError {
            return ActionResult(text: "not done: \(error.reason)", outcome: error.code == .storage ? .failed : .refused)
        } catch let error as StoreError {
            return ActionResult(text: "not done: \(error.reason)", outcome: error.code == .storage ? .failed : .refused)
        } catch {
            return ActionResult(text: "not done: \(error)", outcome: .failed)
        }
    }

    // MARK: The app

    private func buy(_ product: String, with offer: PreviewOffer) async throws(StoreError) -> ActionResult {
        switch offer {
        case .promotional(let identifier):
            return await buy(
                product, PurchaseOptions(promotionalOffer: try store.signOffer(identifier, of: product)))
        case .winBack(let identifier): return await buy(product, PurchaseOptions(winBackOffer: identifier))
        case .code(let code):
            let transaction = try await store.redeem(code, of: product)
            return .done("redeemed \(code) for \(product) (transaction \(transaction.id))")
        }
    }

    private func buy(_ product: String, _ options: PurchaseOptions) async -> ActionResult {
        switch await manager.purchase(product, options: options) {
        case .success(let signed, let notChargedAgain): return .done(bought(signed.payload, notChargedAgain))
        case .cancelled: return .refused("not bought: the customer canceled the purchase")
        case .pending(let reason): return ActionResult(text: "waits: \(reason.description)", outcome: .waiting)
        case .failed(let failure):
            return .refused("\(failure.code == .rejected ? "not delivered" : "not bought"): \(failure.reason)")
        }
    }

    private func bought(_ payload: TransactionPayload, _ notChargedAgain: Bool) -> String {
        let number = payload.quantity == 1 ? "" : "\(payload.quantity) of "
        let remark = notChargedAgain ? ", not charged again" : ""
        let wallet = manager.catalog.current?[payload.productIdentifier]?.credit(forQuantity: 1)?.wallet
        return "bought \(number)\(payload.productIdentifier) (transaction \(payload.transactionID)\(remark))"
            + (wallet.map { "; \($0): \(manager.wallets.balance(for: $0).description)" } ?? "")
    }

    private func spend(_ units: Int, from wallet: String, _ number: Int) async throws(LedgerError) -> ActionResult {
        let balance = try await manager.wallets.spend(units, from: wallet, token: "preview-\(number)")
        return .done("spent \(units) of \(wallet); \(balance.description) left")
    }

    private func restore() async throws(StoreError) -> ActionResult {
        let result = try await manager.restore()
        let lines =
            result.restored.map { "restored \($0)" } + result.alreadyOwned.map { "already owned: \($0)" }
            + result.ended.map { "not owned any more: \($0)" }
            + result.revoked.map { "revoked by the store: \($0)" }
            + result.failed.map { "not restored: transaction \($0.transactionID): \($0.reason)" }
        return .done(lines.isEmpty ? "nothing to restore" : lines.joined(separator: "; "))
    }

    private func download(_ product: String) async throws(OwnedContentError) -> ActionResult {
        _ = try await manager.content.download(for: product)
        return .done("the content of \(product) is installed")
    }

    private func removeContent(_ product: String) async throws(OwnedContentError) -> ActionResult {
        switch try await manager.content.remove(for: product) {
        case .nothing: .refused("no content of \(product) is installed")
        case .installed, .download: .done("the content of \(product) is removed")
        }
    }

    /// Number of days between the customer's first installation of the app and the start of the clock.
    private static let daysSinceInstallation: TimeInterval = 365

    private func setOriginalBuild(_ build: String) async throws -> ActionResult {
        if let known = manager.purchases.originalPurchase {
            return .refused(
                "the app was first installed as build \(known.version), which is recorded; go back to change it")
        }
        let date = setup.clockStart - Self.daysSinceInstallation * 86_400
        try await store.setOriginalPurchase(OriginalPurchase(version: build, date: date, platform: .iOS))
        await manager.loadProducts()
        return .done("the app was first installed as build \(build)")
    }
}
