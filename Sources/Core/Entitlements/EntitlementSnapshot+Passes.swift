internal import Foundation
internal import HashTreeCollections
internal import VitrineCatalog

/// Purchase of a non-renewing subscription.
struct Pass: Sendable {
    let purchaseID: String
    let purchaseDate: Date
    let quantity: Int
    /// Latest end that a device has recorded for the whole quantity, if the purchased time begins at the purchase.
    var recordedEnd: Date
    /// Start of the purchased time: the purchase date, or the end of the earlier passes if they last longer.
    var start: Date

    /// - Returns: `nil` for a purchase without a recorded end.
    init?(_ purchase: Fact.Purchase) {
        guard let period = purchase.period else { return nil }
        (purchaseID, quantity) = (purchase.origin.purchaseID, purchase.quantity)
        (purchaseDate, start, recordedEnd) = (purchase.purchaseDate, purchase.purchaseDate, period.expirationDate)
    }

    /// Returns `true` if this pass comes before another one. The order is the same on all devices.
    func precedes(_ other: Pass) -> Bool {
        purchaseDate == other.purchaseDate
            ? other.purchaseID.isHigherNumber(than: purchaseID) : purchaseDate < other.purchaseDate
    }

    /// Returns the purchased time in seconds: the longer one of what a device has recorded and of what the history of
    /// durations in the catalog says. Without such a history, the present duration says nothing about earlier purchases.
    func length(by durations: SubscriptionDurations?) -> TimeInterval {
        var end = recordedEnd
        if let durations, durations.hasHistory,
            let declared = durations.end(boughtAt: purchaseDate, quantity: quantity)
        {
            end = max(end, declared)
        }
        return max(end.timeIntervalSince(purchaseDate), 0)
    }
}

extension EntitlementSnapshot {
    /// Computes the periods of a product's passes from the whole set of them: each begins when it is bought, or when the
    /// passes before it end. A revoked pass gives nothing, and those after it begin earlier.
    ///
    /// - Parameter changed: Receives the product, and the products that its passes contained at purchase time, if a
    ///   period has changed.
    mutating func settlePasses(of product: String, _ changed: inout [String]) {
        guard let recorded = sources[product], productsWithPasses.contains(product) else { return }
        let periods = periods(of: recorded.compactMap(\.pass), by: catalog?[product]?.durations)
        guard recorded.contains(where: { !$0.isSettled(in: periods) }) else { return }
        changed.append(product)
        sources.update(product, default: []) { $0.settle(periods) }
        for content in Set(recorded.flatMap(\.contents)).sorted() where purchasedContents[content] != nil {
            purchasedContents.update(content, default: []) { $0.settle(periods) }
            changed.append(content)
        }
    }

    /// Returns the periods of a product's passes by their purchase IDs.
    private func periods(
        of passes: [Pass], by durations: SubscriptionDurations?
    ) -> [String: (start: Date, end: Date)] {
        var (last, periods) = (Date.distantPast, [String: (start: Date, end: Date)]())
        for pass in passes.sorted(by: { $0.precedes($1) }) {
            let isRevoked = revocations[pass.purchaseID] != nil
            // Nothing is added to an end after the year 4000, so that the sum of all passes has a limit.
            let start = isRevoked ? pass.purchaseDate : max(pass.purchaseDate, min(last, .distantFuture))
            let end = start + pass.length(by: durations)
            periods[pass.purchaseID] = (start, end)
            if !isRevoked { last = end }
        }
        return periods
    }

    /// Computes the periods of all passes.
    mutating func settleAllPasses() {
        var changed: [String] = []
        for product in productsWithPasses { settlePasses(of: product, &changed) }
    }

    /// Applies another device's record of a pass, which has a later end. The latest end counts.
    mutating func lengthenPass(_ longer: Fact.Counterpart, _ changed: inout [String]) {
        guard let end = longer.expirationDate else { return }
        for product in productsWithPasses
        where sources[product]?.contains(where: { $0.pass?.purchaseID == longer.subject }) == true {
            sources.update(product, default: []) { sources in
                for index in sources.indices {
                    guard let pass = sources[index].pass, pass.purchaseID == longer.subject else { continue }
                    sources[index].pass?.recordedEnd = max(pass.recordedEnd, end)
                }
            }
            changed.append(product)
        }
    }
}

extension EntitlementSource {
    /// Returns `true` if the source is not a pass, or has the given period.
    fileprivate func isSettled(in periods: [String: (start: Date, end: Date)]) -> Bool {
        guard let pass, let (start, end) = periods[pass.purchaseID] else { return true }
        return pass.start == start && period?.expirationDate == end
    }

    fileprivate mutating func settle(_ periods: [String: (start: Date, end: Date)]) {
        guard let pass, let (start, end) = periods[pass.purchaseID] else { return }
        self.pass?.start = start
        period = Fact.Period(expirationDate: end)
    }
}

extension [EntitlementSource] {
    fileprivate mutating func settle(_ periods: [String: (start: Date, end: Date)]) {
        for index in indices { self[index].settle(periods) }
    }
}
