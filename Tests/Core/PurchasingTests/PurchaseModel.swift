import Foundation
import VitrineCatalog
import VitrineReceipts

/// Reference model of purchases, with which the queue, the ledger and the snapshot are compared.
struct PurchaseModel {
    private struct Purchase {
        let product: String
        /// Contents of the product when the purchase was recorded; `nil` for a consumable.
        let contents: Set<String>?
        let credit: (wallet: String, amount: Int, policy: RefundPolicy)?
    }

    var catalog: Catalog
    private(set) var balances: [String: Int] = [:]
    private var purchases: [String: Purchase] = [:]
    /// Units that were debited for each revoked purchase.
    private var debited: [String: Int] = [:]
    /// Signature date of the latest received copy of each transaction.
    private var heard: [String: Date] = [:]
    /// Identifiers of transactions that were received but could not be delivered.
    private var undelivered: Set<String> = []
    private var grants: [(product: String, end: Date)] = []
    private var tokens: Set<String> = []

    init(catalog: Catalog) { self.catalog = catalog }

    /// Receives a copy of a transaction. The copy that was signed last counts, in whatever order the copies arrive.
    mutating func hear(_ copy: TransactionPayload) {
        let id = copy.transactionID
        guard copy.revocationDate != nil || purchases[id] != nil || catalog[copy.productIdentifier] != nil else {
            undelivered.insert(id)
            return
        }
        guard copy.signedDate > heard[id] ?? .distantPast else {
            if copy.revocationDate == nil, debited[id] != nil, purchases[id] == nil { undelivered.insert(id) }
            return
        }
        heard[id] = copy.signedDate
        let credit = purchases[id]?.credit
        switch (copy.revocationDate != nil, debited[id]) {
        case (true, nil):
            let balance = balances[credit?.wallet ?? "", default: 0]
            let units =
                switch credit?.policy {
                case .clawback?: min(credit?.amount ?? 0, max(0, balance))
                case .debt?: credit?.amount ?? 0
                case .ignore?, nil: 0
                }
            debited[id] = units
            put(-units, into: credit?.wallet)
        case (false, let units?):
            debited[id] = nil
            put(units, into: credit?.wallet)
            if purchases[id] == nil { add(copy, isCredited: undelivered.contains(id)) }
        case (false, nil) where purchases[id] == nil: add(copy, isCredited: true)
        default: return
        }
    }

    /// - Parameter isCredited: `false` if units were already credited when the purchase was delivered before its
    ///   refund.
    private mutating func add(_ copy: TransactionPayload, isCredited: Bool) {
        guard let product = catalog[copy.productIdentifier] else { return }
        let credit = product.credit(forQuantity: copy.quantity).map { credit in
            (credit.wallet, credit.amount, catalog.wallets[credit.wallet]?.refundPolicy ?? .clawback)
        }
        purchases[copy.transactionID] = Purchase(
            product: product.identifier, contents: credit == nil ? everything(in: [product.identifier]) : nil,
            credit: isCredited ? credit : nil)
        if isCredited { put(credit?.1 ?? 0, into: credit?.0) }
    }

    private mutating func put(_ units: Int, into wallet: String?) {
        if let wallet { balances[wallet, default: 0] += units }
    }

    mutating func deposit(_ amount: Int, in wallet: String, token: String) {
        if tokens.insert(token).inserted { put(amount, into: wallet) }
    }

    mutating func spend(_ amount: Int, from wallet: String, token: String) {
        guard !tokens.contains(token), amount <= balances[wallet, default: 0] else { return }
        tokens.insert(token)
        put(-amount, into: wallet)
    }

    mutating func grant(_ product: String, until end: Date, token: String) {
        if tokens.insert(token).inserted { grants.append((product, end)) }
    }

    mutating func lock(_ product: String) { grants.removeAll { $0.product == product } }

    func owned(at now: Date) -> Set<String> {
        var products = Set(grants.filter { $0.end > now }.map(\.product))
        for (id, purchase) in purchases where debited[id] == nil { products.formUnion(purchase.contents ?? []) }
        return everything(in: products)
    }

    /// Returns products and their contents according to the catalog.
    private func everything(in products: Set<String>) -> Set<String> {
        var all = products
        var waiting = Array(products)
        while let next = waiting.popLast() {
            waiting += (catalog[next]?.childProducts ?? []).filter { all.insert($0).inserted }
        }
        return all
    }
}
