extension Transaction {
    /// Transactions that arrive without a purchase call of the app: approved later, bought elsewhere, renewed,
    /// redeemed, or revoked. The sequence ends when its reader is canceled.
    ///
    /// Each reader receives all transactions that arrive after it began. The first reader after a launch first receives
    /// the transactions that were unfinished at the launch.
    public static var updates: Transactions { Transactions(updatesOf: StoreConnection.current) }

    /// All transactions of the customer, oldest first, except finished consumables that are not revoked.
    public static var all: Transactions {
        let connection = StoreConnection.current
        return Transactions { await connection.history() }
    }

    /// Returns the transactions of a product, selected and sorted like ``all``.
    @available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    public static func all(for productID: String) -> Transactions {
        let connection = StoreConnection.current
        return Transactions { await connection.history(of: productID) }
    }

    /// Transactions that currently entitle the customer to products, oldest first: non-consumables, non-renewing
    /// subscriptions, and the latest transaction of each auto-renewable subscription that is subscribed or in its grace
    /// period.
    public static var currentEntitlements: Transactions {
        let connection = StoreConnection.current
        return Transactions { await connection.entitlements() }
    }

    /// Returns the transactions that entitle the customer to a product.
    @available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    public static func currentEntitlements(for productID: String) -> Transactions {
        let connection = StoreConnection.current
        return Transactions { await connection.entitlements(to: productID) }
    }

    /// Returns the latest transaction that entitles the customer to a product; `nil` if there is none.
    @available(iOS, introduced: 15.0, deprecated: 18.4, renamed: "currentEntitlements(for:)")
    @available(macOS, introduced: 12.0, deprecated: 15.4, renamed: "currentEntitlements(for:)")
    @available(tvOS, introduced: 15.0, deprecated: 18.4, renamed: "currentEntitlements(for:)")
    @available(watchOS, introduced: 8.0, deprecated: 11.4, renamed: "currentEntitlements(for:)")
    @available(visionOS, introduced: 1.0, deprecated: 2.4, renamed: "currentEntitlements(for:)")
    public static func currentEntitlement(for productID: String) async -> VerificationResult<Transaction>? {
        await StoreConnection.current.entitlements(to: productID).last
    }

    /// Transactions that the app has not finished, oldest first.
    public static var unfinished: Transactions {
        let connection = StoreConnection.current
        return Transactions { await connection.unfinished() }
    }

    /// Returns the latest transaction of a product, even a revoked one; `nil` if the customer has never bought it.
    public static func latest(for productID: String) async -> VerificationResult<Transaction>? {
        await StoreConnection.current.latestTransaction(of: productID)
    }

    /// Sequence of transactions: a listing that the store returns when iteration begins, or a stream of updates.
    public struct Transactions: AsyncSequence, Sendable {
        public typealias Element = VerificationResult<Transaction>

        private enum Source: Sendable {
            case listing(@Sendable () async -> [Element])
            case updates(StoreConnection)
        }

        private let source: Source

        init(_ list: @escaping @Sendable () async -> [Element]) { source = .listing(list) }

        init(updatesOf connection: StoreConnection) { source = .updates(connection) }

        public func makeAsyncIterator() -> AsyncIterator {
            switch source {
            case .listing(let list): AsyncIterator(list: list, live: nil)
            case .updates(let connection):
                AsyncIterator(
                    list: { await connection.consumeUnfinishedAtLaunch() },
                    live: ArrivalIterator(connection.updates))
            }
        }

        public struct AsyncIterator: AsyncIteratorProtocol {
            private var list: (@Sendable () async -> [Element])?
            private var listed: Set<Element> = []
            private var remaining: ArraySlice<Element> = []
            private var live: ArrivalIterator<Element>?

            init(list: @escaping @Sendable () async -> [Element], live: ArrivalIterator<Element>?) {
                self.list = list
                self.live = live
            }

            public mutating func next() async -> Element? {
                if let list {
                    self.list = nil
                    remaining = await list()[...]
                    if live != nil { listed = Set(remaining) }
                }
                if let next = remaining.popFirst() { return next }
                // A transaction that arrived while the unfinished transactions were listed may be among them. One that is
                // signed later is equal to it if a refund was reversed meanwhile.
                while let next = await live?.next() {
                    guard let known = listed.remove(next),
                        next.unsafePayloadValue.signedDate <= known.unsafePayloadValue.signedDate
                    else { return next }
                }
                return nil
            }
        }
    }
}
