import Foundation
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Store in memory in which the actions of a random history are performed.
struct LivedStore {
    /// Way in which time passes between two actions.
    enum Time {
        /// The machine's clock jumps: the store processes the due changes with the next action.
        case atOnce
        /// The store's virtual clock is advanced in random steps.
        case inSteps
    }

    private let store: SimulatedStore
    private let clock: TestClock
    private let time: Time
    private var random: SeededGenerator
    private var devices: [LifeDevice: SimulatedStore] = [:]
    /// Indexes of the steps that the store has refused.
    private var refused: [Int] = []

    private static let configuration = Result { try Data(contentsOf: Repository.file("Catalogs/Club.storekit")) }

    init(_ life: RandomLife, _ time: Time) async throws {
        let clock = TestClock(life.start)
        (self.clock, self.time) = (clock, time)
        random = SeededGenerator(seed: ~life.seed)
        store = try SimulatedStore.inMemory(
            configuration: try Self.configuration.get(), bundleIdentifier: ClubStore.bundleIdentifier,
            now: { clock.now }, seed: 0)
        for (number, step) in life.steps.enumerated() {
            try await pass(from: number == 0 ? life.start : life.steps[number - 1].date, to: step.date)
            let device = try devices[step.device] ?? store.device(step.device.name, of: step.device.customer)
            devices[step.device] = device
            if try await !device.perform(step) { refused.append(number) }
        }
        try await pass(from: life.steps.last?.date ?? life.start, to: life.end)
    }

    private mutating func pass(from start: Date, to end: Date) async throws {
        let seconds = Int(end.timeIntervalSince(start))
        guard time == .inSteps else { return clock.advance(by: Double(seconds)) }
        let cuts = (0..<Int.random(in: 0..<3, using: &random)).map { _ in Int.random(in: 0...seconds, using: &random) }
        for second in Set(cuts + [seconds]).subtracting([0]).sorted() {
            try await store.advance(to: start + Double(second))
        }
    }

    // MARK: End

    /// Returns the state of the store after the last action.
    func end() async throws -> LifeEnd {
        var end = LifeEnd(refused: refused)
        for (device, store) in devices { end.transactions[device] = try await store.transactions() }
        for (customer, devices) in Dictionary(grouping: devices, by: \.key.customer) {
            end.subscriptions[customer] = try await devices[0].value.subscriptions()
        }
        end.timeline = try await store.timeline()
        return end
    }

    /// Verifies the signatures of all transactions, none of which is finished.
    func verify(_ comment: Comment) async throws {
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: ClubStore.bundleIdentifier,
            environment: .sandbox)
        for device in devices.values {
            let known = try await device.transactions()
            let signed = try await device.unfinishedTransactions()
            #expect(signed.map(\.id) == known.map(\.id), comment)
            for (transaction, known) in zip(signed, known) {
                guard case .verified(let verified) = await verifier.verify(transaction: transaction.signedData)
                else {
                    Issue.record("transaction \(known.id) is not verified: \(comment)")
                    continue
                }
                let payload = verified.payload
                #expect(payload.expiresDate == known.expirationDate && payload.price == known.price, comment)
                #expect(payload.revocationDate == known.revocationDate, comment)
                guard let renewal = transaction.signedRenewal else { continue }
                guard case .verified = await verifier.verify(renewal: renewal) else {
                    Issue.record("the renewal information of \(known.id) is not verified: \(comment)")
                    continue
                }
            }
        }
    }
}

extension SimulatedStore {
    /// Performs the action of a step.
    ///
    /// - Returns: `false` if the store refuses the action.
    fileprivate func perform(_ step: LifeStep) async throws -> Bool {
        do {
            return try await tryPerforming(step)
        } catch let error as StoreError where error.code == .productNotAvailable {
            return false
        } catch let error as SimulatedStoreError
            where [.noSuchSubscription, .noSuchTransaction].contains(error.code)
        {
            return false
        }
    }

    private func tryPerforming(_ step: LifeStep) async throws -> Bool {
        let product = step.plan.product
        switch step.action {
        case .buy: _ = try await purchase(product, quantity: 1)
        case .finish: for transaction in try await unfinishedTransactions() { try await finish(transaction) }
        case .setRenewal(let isOn): try await setRenewal(isOn, of: product)
        case .failBilling: try await failBilling(product)
        case .recoverBilling: try await recoverBilling(product)
        case .setBillingFailing(let isFailing): try await setBillingFailing(isFailing)
        case .setGracePeriod(let isOn): try await setGracePeriod(isOn)
        case .setPrice(let price, let needsConsent):
            try await setPrice(Decimal(price) / 1_000, of: product, consentRequired: needsConsent)
        case .consent(let agrees): try await consentToPriceIncrease(agrees, of: product)
        case .withdraw: try await withdraw(product)
        case .setRefunded(let isRefunded, let number):
            let owned = try await transactions().filter { $0.groupID == step.plan.group }.map(\.id)
            guard !owned.isEmpty else { return false }
            let id = owned[number % owned.count]
            if isRefunded { try await refund(id) } else { try await reverseRefund(id) }
        }
        return true
    }
}
