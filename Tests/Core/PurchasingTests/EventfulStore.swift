import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Store in which tests cause events outside the app.
protocol EventfulStore: Store {
    func buyElsewhere(_ identifier: String, quantity: Int) async throws
    func revokePurchase(_ id: String) async throws
    /// Reverses the refund of a transaction.
    ///
    /// - Throws: An error if the transaction was not refunded.
    func giveBack(_ id: String) async throws
    func saleCount() async throws -> Int
}

extension PaperStore: EventfulStore {
    func buyElsewhere(_ identifier: String, quantity: Int) { purchaseElsewhere(identifier, quantity: quantity) }
    func revokePurchase(_ id: String) { setRevoked(true, id) }
    func giveBack(_ id: String) { setRevoked(false, id) }
}

extension SimulatedStore: EventfulStore {
    func buyElsewhere(_ identifier: String, quantity: Int) async throws {
        try await purchaseElsewhere(identifier, quantity: quantity)
    }
    func revokePurchase(_ id: String) async throws { try await refund(id) }
    func giveBack(_ id: String) async throws { try await reverseRefund(id) }
    func saleCount() async throws -> Int { try await transactions().count }
}
