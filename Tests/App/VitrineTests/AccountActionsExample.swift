import Foundation
import Vitrine

/// Actions of a screen on which customers manage what they have bought. Each returns a text for the customer, or `nil`.
struct AccountActions: Sendable {
    let manager: CatalogManager

    func manageSubscription(_ plan: String) async -> String? {
        do {
            try await manager.sheets.manageSubscriptions(of: plan)
            return nil
        } catch {
            return error.localizedDescription
        }
    }

    func requestRefund(of product: String) async -> String? {
        do {
            switch try await manager.sheets.requestRefund(of: product) {
            case .submitted: return "Your request was sent. The App Store answers by mail."
            case .cancelled: return nil
            }
        } catch {
            return error.localizedDescription
        }
    }

    func redeemOfferCode() async -> String? {
        do {
            try await manager.sheets.redeemOfferCode()
            return nil
        } catch {
            return error.localizedDescription
        }
    }

    /// Shows the messages of the store, but only when the customer is not in the middle of something else.
    func showMessages(whenIdle: @Sendable () async -> Void) async {
        for await message in manager.sheets.messages() {
            await whenIdle()
            // A message that cannot be shown now is shown by the store in a later launch.
            try? await message.show()
        }
    }
}
