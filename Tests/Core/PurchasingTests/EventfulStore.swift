import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// A store in which tests make things happen that no app asked for.
protocol EventfulStore: Store {
    func buyElsewhere(_ identifier: String, quantity: Int) async throws
    func takeBack(_ id: String) async throws
    /// - Throws: Where it was not taken back.
    func giveBack(_ id: String) async throws
    func saleCount() async throws -> Int
}

extension PaperStore: EventfulStore {
    func buyElsewhere(_ identifier: String, quantity: Int) { purchaseElsewhere(identifier, quantity: quantity) }
    func takeBack(_ id: String) { setRevoked(true, id) }
    func giveBack(_ id: String) { setRevoked(false, id) }
}

extension SimulatedStore: EventfulStore {
    func buyElsewhere(_ identifier: String, quantity: Int) async throws {
        try await purchaseElsewhere(identifier, quantity: quantity)
    }
    func takeBack(_ id: String) async throws { try await refund(id) }
    func giveBack(_ id: String) async throws { try await reverseRefund(id) }
    func saleCount() async throws -> Int { try await transactions().count }
}
