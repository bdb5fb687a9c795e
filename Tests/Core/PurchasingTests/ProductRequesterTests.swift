import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct ProductRequesterTests {
    private let voyager: VoyagerStore
    private let asked = Recorder<[String]>()
    private let sold: [String]

    init() throws {
        voyager = try VoyagerStore()
        sold = try VoyagerStore.catalog().products.map(\.identifier).filter { $0 != .voyager("atlantis") }
    }

    /// - Parameter reply: Function that returns the answer to a request, given its number; `nil` for the store's own
    ///   answer.
    private func requester(
        batchSize: Int, storefronts: [String?] = ["USA"],
        reply: @escaping @Sendable (Int) throws(StoreError) -> [StoreProduct]? = { _ throws(StoreError) in nil }
    ) -> ProductRequester {
        let (simulated, asked, calls) = (voyager.store, asked, Recorder<Void>())
        var store = InterceptedStore(simulated)
        store.onProducts = { identifiers async throws(StoreError) in
            asked.record(identifiers)
            if let reply = try reply(asked.values.count) { return reply }
            return try await simulated.products(for: identifiers)
        }
        store.onStorefront = { () async throws(StoreError) in
            calls.record(())
            return storefronts[min(calls.values.count, storefronts.count) - 1]
        }
        return ProductRequester(store: store, batchSize: batchSize)
    }

    @Test(
        arguments: [
            (200, [11]), (11, [11]), (10, [10, 1]), (4, [4, 4, 3]), (1, [2, 2, 2, 2, 2, 1]),
            (0, [2, 2, 2, 2, 2, 1]), (-1, [2, 2, 2, 2, 2, 1]), (.max, [11]),
        ] as [(Int, [Int])]
    )
    func `products are requested from the store in batches, in order`(batchSize: Int, batches: [Int]) async {
        let answer = await requester(batchSize: batchSize).answer(about: sold)

        #expect(asked.values.map(\.count) == batches)
        #expect(asked.values.flatMap(\.self) == sold)
        #expect(answer.asked == sold)
        #expect(Set(answer.products.map(\.identifier)) == Set(sold))
        #expect(answer.storefront == "USA")
        #expect(answer.failure == nil)
    }

    @Test func `products of earlier batches are returned when a later batch fails, and no further batch is requested`()
        async
    {
        let failure = StoreError(code: .network, reason: "no network")
        let requester = requester(batchSize: 4) { number throws(StoreError) in
            if number == 2 { throw failure }
            return nil
        }
        let answer = await requester.answer(about: sold)

        #expect(asked.values.count == 2)
        #expect(answer.asked == Array(sold[..<4]))
        #expect(Set(answer.products.map(\.identifier)) == Set(sold[..<4]))
        #expect(answer.failure == failure)
    }

    @Test func `identifiers of an unanswered batch are requested again together with a known product`()
        async
    {
        let unknown = ["atlantis", "eldorado", "avalon", "thule"].map { String.voyager($0) }
        let all = sold[..<4] + unknown + sold[4...]
        let answer = await requester(batchSize: 4).answer(about: Array(all))

        #expect(asked.values.count == 6)
        #expect(asked.values[4...].map { $0.dropLast() } == [unknown[..<3], unknown[3...]])
        #expect(asked.values[4...].allSatisfy { $0.last.map(sold.contains) == true })
        #expect(answer.asked == Array(all))
        #expect(answer.products.count == 11)
        #expect(Set(answer.products.map(\.identifier)) == Set(sold))
        #expect(answer.failure == nil)
    }

    @Test func `a batch of product identifiers for which the store returns no products is requested again`() async {
        let answer = await requester(batchSize: 4) { number throws(StoreError) in number == 2 ? [] : nil }
            .answer(about: sold)

        #expect(answer.asked == sold)
        #expect(Set(answer.products.map(\.identifier)) == Set(sold))
        #expect(answer.failure == nil)
    }

    @Test func `a batch that the store never answers is reported, and products of the other batches are returned`()
        async
    {
        let answer = await requester(batchSize: 4) { number throws(StoreError) in [2, 4, 5].contains(number) ? [] : nil
        }
        .answer(about: sold)

        #expect(asked.values.count == 5)
        #expect(answer.asked == Array(sold[..<4] + sold[8...]))
        #expect(Set(answer.products.map(\.identifier)) == Set(answer.asked))
        #expect(answer.failure?.code == .emptyAnswer)
        let named = sold[4..<8].joined(separator: ", ")
        #expect(answer.failure?.reason == "the store knows none of the 4 requested products: \(named)")
    }

    @Test(arguments: [2, 200]) func `a store that knows none of the requested products is reported as an empty answer`(
        batchSize: Int
    ) async {
        let answer = await requester(batchSize: batchSize).answer(about: [.voyager("atlantis"), .voyager("eldorado")])

        #expect(answer.asked.isEmpty)
        #expect(answer.products.isEmpty)
        #expect(answer.failure?.code == .emptyAnswer)
        #expect(answer.failure?.isOutcomeKnown == false)
    }

    @Test func `an empty answer to one batch is inconclusive if the request for the next batch fails`() async {
        let requester = requester(batchSize: 2) { number throws(StoreError) in
            if number == 2 { throw StoreError(code: .network, reason: "no network") }
            return nil
        }
        let answer = await requester.answer(
            about: [.voyager("atlantis"), .voyager("eldorado"), .voyager("lisbon")])

        #expect(answer.asked.isEmpty)
        #expect(answer.failure?.code == .network)
    }

    @Test func `no store request is made for an empty list of products`() async {
        let answer = await requester(batchSize: 200).answer(about: [])

        #expect(asked.values.isEmpty)
        #expect(answer.asked.isEmpty && answer.products.isEmpty)
        #expect(answer.failure == nil)
    }

    @Test func `products that were not requested are removed from the store's answer`() async throws {
        let all = try await voyager.store.products(for: sold)
        let answer = await requester(batchSize: 200) { _ throws(StoreError) in all }.answer(about: [.voyager("rome")])

        #expect(answer.products.map(\.identifier) == [.voyager("rome")])
    }

    @Test(
        arguments: [
            (["USA", "DEU"], nil), ([nil, "DEU"], nil), (["USA", nil], nil), ([nil, nil], 11), (["DEU", "DEU"], 11),
        ] as [([String?], Int?)]
    )
    func `product answers are discarded if the storefront changes during the requests`(
        storefronts: [String?], count: Int?
    ) async {
        let answer = await requester(batchSize: 4, storefronts: storefronts).answer(about: sold)

        #expect(answer.asked.count == count ?? 0)
        #expect(answer.products.count == count ?? 0)
        #expect((answer.failure == nil) == (count != nil))
    }

    @Test(
        arguments: [
            (["USA", "USA"], 4), (["USA", nil], 4), ([nil, nil], 4), (["USA", "DEU"], 0), ([nil, "DEU"], 0),
            (["USA"], 4),
        ] as [([String?], Int)]
    )
    func `products received before a failure are returned, unless the storefront is known to have changed`(
        storefronts: [String?], count: Int
    ) async {
        let (simulated, asked, calls) = (voyager.store, asked, Recorder<Void>())
        var store = InterceptedStore(simulated)
        store.onProducts = { identifiers async throws(StoreError) in
            asked.record(identifiers)
            guard asked.values.count == 1 else { throw StoreError(code: .network, reason: "no network") }
            return try await simulated.products(for: identifiers)
        }
        store.onStorefront = { () async throws(StoreError) in
            calls.record(())
            guard calls.values.count <= storefronts.count else {
                throw StoreError(code: .network, reason: "no network")
            }
            return storefronts[calls.values.count - 1]
        }
        let answer = await ProductRequester(store: store, batchSize: 4).answer(about: sold)

        #expect(answer.asked == Array(sold[..<count]))
        #expect(answer.products.count == count)
        #expect(answer.failure?.code == (count == 0 ? .unavailable : .network))
    }

    @Test func `concurrent requests for the same product are combined, and other requests do not wait for them`() async
    {
        let (gate, simulated, asked) = (Gate(), voyager.store, asked)
        var store = InterceptedStore(simulated)
        store.onProducts = { identifiers async throws(StoreError) in
            asked.record(identifiers)
            if identifiers.contains(.voyager("lisbon")) { await gate.pass() }
            return try await simulated.products(for: identifiers)
        }
        let requester = ProductRequester(store: store, batchSize: 200)
        async let first = requester.answer(about: [.voyager("lisbon"), .voyager("porto")])
        await gate.arrival()
        #expect(await requester.answer(about: [.voyager("rome")]).products.map(\.identifier) == [.voyager("rome")])
        async let second = requester.answer(about: [.voyager("porto"), .voyager("athens")])
        while asked.values.count < 3 { await Task.yield() }
        await gate.open()

        #expect(await Set(first.products.map(\.identifier)) == [.voyager("lisbon"), .voyager("porto")])
        #expect(await Set(second.products.map(\.identifier)) == [.voyager("porto"), .voyager("athens")])
        #expect(
            asked.values == [
                [.voyager("lisbon"), .voyager("porto")], [.voyager("rome")], [.voyager("athens")],
            ])
        #expect(await requester.answer(about: [.voyager("porto")]).products.count == 1)
        #expect(asked.values.count == 4)
    }
}
