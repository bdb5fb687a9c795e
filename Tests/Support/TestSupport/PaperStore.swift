package import Foundation
import Synchronization
package import VitrineCatalog
package import VitrinePurchasing
package import VitrineReceipts
import VitrineSupport

/// Store with unsigned transactions and the rules of the simulated store.
///
/// It is for tests with so many transactions that real signatures would be too slow. Only a ``PaperVerifier`` accepts
/// its transactions.
package final class PaperStore: Store {
    private struct Sale {
        let product: String
        let kind: ProductKind
        let options: PurchaseOptions
        let purchaseDate: Date
        /// Date of the latest change of the transaction's state.
        var changeDate: Date
        var revocationDate: Date?
        var isFinished = false

        /// `true` for a consumable that the app has, and that the store forgets.
        var isConsumed: Bool { kind == .consumable && revocationDate == nil && isFinished }
    }

    private struct State {
        var sales: [Sale] = []
        /// Positions of sales that the store still lists. Tests consume thousands.
        var listed: Set<Int> = []
        var listeners: [AsyncStream<StoreTransaction>.Continuation] = []
    }

    private let kinds: [String: ProductKind]
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// - Parameters:
    ///   - kinds: Kinds of the products that the store sells, by identifier.
    ///   - now: Clock of the store. Two states of a transaction must begin at different times.
    package init(selling kinds: [String: ProductKind], now: @escaping @Sendable () -> Date) {
        self.kinds = kinds
        self.now = now
    }

    // MARK: Store

    package func products(for identifiers: [String]) async throws(StoreError) -> [StoreProduct] { [] }

    package func storefront() async throws(StoreError) -> String? { nil }

    package func paymentRestriction() async -> String? { nil }

    package func purchase(
        _ identifier: String, options: PurchaseOptions
    ) async throws(StoreError) -> StorePurchaseAnswer {
        guard let kind = kinds[identifier] else {
            throw StoreError(code: .productNotAvailable, reason: "the store does not sell \(identifier)")
        }
        let date = now()
        return state.withLock { state in
            let index = state.listed.sorted().first { index in
                state.sales[index].product == identifier && state.sales[index].revocationDate == nil
            }
            if let index { return .alreadyPurchased(signed(index, date, state)) }
            return .purchased(signed(add(identifier, kind, options, date, &state), date, state))
        }
    }

    package func restore() async throws(StoreError) -> [StoreTransaction] {
        transactions { $0.kind != .consumable || $0.revocationDate != nil }
    }

    package func knownTransactions() async throws(StoreError) -> [StoreTransaction] {
        transactions { _ in true }
    }

    package func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction] {
        transactions { !$0.isFinished }
    }

    package func finish(_ transaction: StoreTransaction) async throws(StoreError) {
        guard let payload = PaperVerifier.read(transaction.signedData), let index = index(of: transaction.id) else {
            return
        }
        state.withLock { state in
            guard state.sales[index].changeDate <= payload.signedDate else { return }
            state.sales[index].isFinished = true
            if state.sales[index].isConsumed { state.listed.remove(index) }
        }
    }

    package func appTransaction() async throws(StoreError) -> String? { nil }

    package func appReceipt() async throws(StoreError) -> Data? { nil }

    package func refreshAppReceipt(_ request: ReceiptRequest) async throws(StoreError) -> Data {
        throw StoreError(code: .unavailable, reason: "paper has no receipts")
    }

    package func updates() -> AsyncStream<StoreTransaction> {
        let (stream, continuation) = AsyncStream<StoreTransaction>.makeStream()
        state.withLock { $0.listeners.append(continuation) }
        return stream
    }

    package func storefrontChanges() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

    package func promotedPurchases() -> AsyncStream<PromotedPurchase> { AsyncStream { nil } }

    // MARK: What happens without a call

    /// Buys a product as on another device, and sends the transaction as an update.
    @discardableResult
    package func purchaseElsewhere(_ identifier: String, quantity: Int = 1) -> StoreTransaction {
        let date = now()
        let transaction = state.withLock { state in
            let options = PurchaseOptions(quantity: quantity)
            return signed(add(identifier, kinds[identifier] ?? .unknown, options, date, &state), date, state)
        }
        send(transaction)
        return transaction
    }

    /// Revokes or reinstates a transaction, and sends it as an update.
    package func setRevoked(_ isRevoked: Bool, _ id: String) {
        guard let index = index(of: id) else { return }
        let date = now()
        let transaction = state.withLock { state in
            state.sales[index].isFinished = false
            state.sales[index].changeDate = date
            state.sales[index].revocationDate = isRevoked ? date : nil
            state.listed.insert(index)
            return signed(index, date, state)
        }
        send(transaction)
    }

    /// Sends a transaction to all listeners.
    package func send(_ transaction: StoreTransaction) {
        for listener in state.withLock({ $0.listeners }) { listener.yield(transaction) }
    }

    /// Returns the number of transactions that the store has created.
    package func saleCount() -> Int { state.withLock(\.sales.count) }

    // MARK: Its records

    private func index(of id: String) -> Int? {
        Int(id).map { $0 - 1 }.flatMap { index in
            state.withLock { $0.sales.indices.contains(index) ? index : nil }
        }
    }

    private func add(
        _ identifier: String, _ kind: ProductKind, _ options: PurchaseOptions, _ date: Date, _ state: inout State
    ) -> Int {
        state.sales.append(
            Sale(product: identifier, kind: kind, options: options, purchaseDate: date, changeDate: date))
        state.listed.insert(state.sales.count - 1)
        return state.sales.count - 1
    }

    private func transactions(where isWanted: (Sale) -> Bool) -> [StoreTransaction] {
        let date = now()
        return state.withLock { state in
            state.listed.sorted().filter { isWanted(state.sales[$0]) }.map { signed($0, date, state) }
        }
    }

    private func signed(_ index: Int, _ date: Date, _ state: State) -> StoreTransaction {
        let (sale, id) = (state.sales[index], String(index + 1))
        return PaperVerifier.transaction(
            TransactionPayload(
                transactionID: id, originalTransactionID: id, bundleIdentifier: "", productIdentifier: sale.product,
                purchaseDate: sale.purchaseDate, originalPurchaseDate: sale.purchaseDate,
                quantity: sale.options.quantity,
                type: sale.kind == .consumable ? .consumable : .nonConsumable, environment: .sandbox,
                signedDate: date, storefront: nil, price: nil, currency: nil, revocationDate: sale.revocationDate,
                appAccountToken: sale.options.accountToken))
    }
}

/// Verifier that accepts everything in the form of a JWS, without checking a signature.
package struct PaperVerifier: TransactionVerifier {
    package init() {}

    package func verify(transaction signedData: String) async -> Verification<SignedTransaction> {
        guard let payload = Self.read(signedData) else {
            return .rejected([RejectionReason(code: .malformed, reason: "it cannot be read")])
        }
        return .verified(SignedTransaction(payload: payload, signedData: signedData))
    }

    package func verify(appTransaction signedData: String) async -> Verification<SignedAppTransaction> {
        .undetermined("paper says nothing about apps")
    }

    package func verify(renewal signedData: String) async -> Verification<SignedRenewal> {
        .undetermined("paper says nothing about renewals")
    }

    package static func transaction(_ payload: TransactionPayload) -> StoreTransaction {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        // Encoding what was made here cannot fail; an empty text would be rejected.
        var json = (try? encoder.encode(payload)) ?? Data()
        // Of three bytes each, and without ">", "?" and "~", all base64 is base64 for URLs.
        while !json.count.isMultiple(of: 3) { json.append(UInt8(ascii: " ")) }
        return StoreTransaction(id: payload.transactionID, signedData: "unsigned.\(json.base64EncodedString()).")
    }

    package static func read(_ signedData: String) -> TransactionPayload? {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        return Data(base64Encoded: Data(signedData.utf8.dropFirst("unsigned.".utf8.count).dropLast()))
            .flatMap { try? decoder.decode(TransactionPayload.self, from: $0) }
    }
}
