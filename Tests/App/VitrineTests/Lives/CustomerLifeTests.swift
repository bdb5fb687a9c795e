import Foundation
import Testing
import VitrineEntitlements
import VitrineTestSupport

/// Random lives of two customers with Ask to Buy, a family, passes, changes of the account and offer codes. After each
/// step the devices must own what a model says, and have as many units in their wallets.
///
/// `LIFE_SOAK` is the number of lives, and `LIFE_SEED` the seed of the only one.
@Suite(.hangLimit) struct CustomerLifeTests {
    private static let batchSize: UInt64 = 10
    private static let count = environment("LIFE_SOAK") ?? 80
    private static let onlySeed = environment("LIFE_SEED")

    private static func environment(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    private static var batches: [[UInt64]] {
        if let onlySeed { return [[onlySeed]] }
        return stride(from: 0, to: count, by: Int(batchSize)).map { Array($0..<min($0 + batchSize, count)) }
    }

    @Test(arguments: batches)
    func `after each random step, each device has the products and the units that a model predicts`(
        seeds: [UInt64]
    ) async throws {
        for seed in seeds { try await live(CustomerLife(seed: seed)) }
    }

    /// Lives a life up to the first step after which a device differs from the model.
    private func live(_ life: CustomerLife) async throws {
        var (customers, model) = (try await LivedCustomers(life), life.firstModel)
        for (number, step) in life.steps.enumerated() {
            let description = life.description(upTo: number).joined(separator: "\n")
            let expected = Self.lines(model.perform(step), model)
            let found: [String]
            do {
                let isDone = try await customers.perform(step)
                found = Self.lines(isDone, of: model.devices, customers)
            } catch {
                Issue.record("LIFE_SEED=\(life.seed)\n\(description)\n\(error)")
                break
            }
            guard found == expected else {
                let difference =
                    found.filter { !expected.contains($0) }.map { "found: \($0)" }
                    + expected.filter { !found.contains($0) }.map { "expected: \($0)" }
                Issue.record("LIFE_SEED=\(life.seed)\n\(description)\n\(difference.joined(separator: "\n"))")
                break
            }
        }
        await customers.stop()
    }

    private static func lines(_ isDone: Bool, _ model: CustomerModel) -> [String] {
        ["done: \(isDone)"] + model.devices.map { line($0, model.owned(on: $0), .known(model.balance(on: $0))) }
    }

    private static func lines(_ isDone: Bool, of devices: [String], _ customers: LivedCustomers) -> [String] {
        ["done: \(isDone)"]
            + devices.map { device in
                let holdings = customers.holdings(on: device)
                return line(device, holdings?.owned ?? [], holdings?.balance ?? .known(0))
            }
    }

    private static func line(_ device: String, _ owned: Set<String>, _ balance: WalletBalance) -> String {
        "\(device): \(owned.sorted().joined(separator: ", ")); \(balance)"
    }
}
