import Foundation
import Testing
import VitrineCatalog
import VitrineNetworking
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// One sequence of events as reported by every style of listening.
extension CatalogManagerTests {
    /// Expected table. Each row of an event has the word in streams and publishers, the notification, and the log line
    /// from `info` on. The rows after it have the changes of the model, the callbacks of closures or delegate, and the
    /// values that are known at the end of the chapter.
    private static let story = """
        a load, and a request for two products
          request inProgress      | RequestStatusDidChange | (debug)
          status 0                | StatusDidChange        | loading status changed status=productsLoading
          list                    | ListDidUpdate          | catalog updated count=12
          listing of 12           | ListingDidChange       | (debug)
          status 1                | StatusDidChange        | loading status changed status=listLoaded
          listing of 12           | ListingDidChange       | (debug)
          products                | ProductsDidUpdate      | products updated unknown=atlantis
          listing of 12           | ListingDidChange       | (debug)
          status 2                | StatusDidChange        | loading status changed status=productsLoaded
          request succeeded       | RequestStatusDidChange | (debug)
          model · listing, status
          call · fetched ["lisbon"], not ["nowhere"]
          look-ups · succeeded, Lisbon Guide, $4.99, offered, nothing owned

        a load that fails, and a request that does
          request inProgress      | RequestStatusDidChange | (debug)
          status 0                | StatusDidChange        | loading status changed status=productsLoading
          list                    | ListDidUpdate          | catalog updated count=12
          status 1                | StatusDidChange        | loading status changed status=listLoaded
          no products             | ProductsDidUpdate      | warning: product request failed error=unavailable
          status -2               | StatusDidChange        | loading status changed status=productsLoadFailed
          request failed          | RequestStatusDidChange | (debug)
          request waitingForRetry | RequestStatusDidChange | (debug)
          retry planned           | DidReport              | warning: reload scheduled at=2026-09-21T14:13:35Z error=unavailable
          model · status, lastError: the store failed without a reason, the store failed without a reason
          call · not fetched: unavailable
          look-ups · waitingForRetry, no products: unavailable, Lisbon Guide, $4.99, offered, nothing owned

        the load comes again by itself
          request inProgress      | RequestStatusDidChange | (debug)
          status 0                | StatusDidChange        | loading status changed status=productsLoading
          list                    | ListDidUpdate          | catalog updated count=12
          status 1                | StatusDidChange        | loading status changed status=listLoaded
          products                | ProductsDidUpdate      | products updated unknown=atlantis
          status 2                | StatusDidChange        | loading status changed status=productsLoaded
          request succeeded       | RequestStatusDidChange | (debug)
          model · status
          call · there is none
          look-ups · succeeded, Lisbon Guide, $4.99, offered, nothing owned

        a purchase
          listing of 1            | ListingDidChange       | (debug)
          received                | TransactionDidUpdate   | (debug)
          verified                | TransactionDidUpdate   | (debug)
          listing of 1            | ListingDidChange       | (debug)
          recorded                | TransactionDidUpdate   | transaction recorded new=true products=lisbon
          ownership of 1          | OwnershipDidChange     | ownership changed products=lisbon
          listing of 2            | ListingDidChange       | (debug)
          finished                | TransactionDidFinish   | transaction finished products=lisbon
          listing of 1            | ListingDidChange       | (debug)
          answered                | PurchaseDidComplete    | purchase answered answer=success products=lisbon
          listing of 1            | ListingDidChange       | (debug)
          model · listing
          call · succeeded lisbon
          look-ups · succeeded, Lisbon Guide, $4.99, owned: lisbon

        a purchase that somebody has to approve
          listing of 1            | ListingDidChange       | (debug)
          answered                | PurchaseDidComplete    | purchase answered answer=pending: ask-to-buy products=madrid
          listing of 1            | ListingDidChange       | (debug)
          model · listing
          call · pending approval
          look-ups · succeeded, Lisbon Guide, $4.99, owned: lisbon

        its approval
          received                | TransactionDidUpdate   | (debug)
          verified                | TransactionDidUpdate   | (debug)
          listing of 1            | ListingDidChange       | (debug)
          recorded                | TransactionDidUpdate   | transaction recorded new=true products=madrid
          ownership of 1          | OwnershipDidChange     | ownership changed products=madrid
          listing of 3            | ListingDidChange       | (debug)
          finished                | TransactionDidFinish   | transaction finished products=madrid
          listing of 1            | ListingDidChange       | (debug)
          completed               | PurchaseDidComplete    | purchase completed products=madrid
          model · listing
          call · there is none
          look-ups · succeeded, Lisbon Guide, $4.99, owned: lisbon madrid

        a purchase whose content a server has
          listing of 1            | ListingDidChange       | (debug)
          received                | TransactionDidUpdate   | (debug)
          verified                | TransactionDidUpdate   | (debug)
          listing of 1            | ListingDidChange       | (debug)
          recorded                | TransactionDidUpdate   | transaction recorded new=true products=rome
          ownership of 1          | OwnershipDidChange     | ownership changed products=rome
          listing of 2            | ListingDidChange       | (debug)
          download waiting        | ContentDidChange       | (debug)
          listing of 1            | ListingDidChange       | (debug)
          download active         | ContentDidChange       | (debug)
          listing of 1            | ListingDidChange       | (debug)
          download active         | ContentDidChange       | (debug)
          listing of 1            | ListingDidChange       | (debug)
          content installed       | ContentDidChange       | content installed products=rome version=1.0
          listing of 2            | ListingDidChange       | (debug)
          download finished       | ContentDidChange       | (debug)
          listing of 1            | ListingDidChange       | (debug)
          has its content         | TransactionDidUpdate   | (debug)
          finished                | TransactionDidFinish   | transaction finished products=rome
          listing of 1            | ListingDidChange       | (debug)
          answered                | PurchaseDidComplete    | purchase answered answer=success products=rome
          listing of 1            | ListingDidChange       | (debug)
          model · downloads, listing
          call · succeeded rome
          look-ups · succeeded, Lisbon Guide, $4.99, owned: lisbon madrid rome

        a refund
          received                | TransactionDidUpdate   | (debug)
          verified                | TransactionDidUpdate   | (debug)
          revoked                 | TransactionDidUpdate   | transaction revoked new=true products=lisbon
          ownership of 1          | OwnershipDidChange     | ownership changed products=lisbon
          listing of 3            | ListingDidChange       | (debug)
          finished                | TransactionDidFinish   | transaction finished products=lisbon
          model · listing
          call · there is none
          look-ups · succeeded, Lisbon Guide, $4.99, offered, owned: madrid rome

        a restore that the store does not answer
          not restored            | RestoreDidComplete     | warning: restore failed error=unavailable
          model · lastError: the store failed without a reason
          call · not restored: unavailable
          look-ups · succeeded, Lisbon Guide, $4.99, offered, owned: madrid rome

        a restore
          received                | TransactionDidUpdate   | (debug)
          verified                | TransactionDidUpdate   | (debug)
          listing of 1            | ListingDidChange       | (debug)
          recorded                | TransactionDidUpdate   | transaction recorded new=true products=porto
          ownership of 1          | OwnershipDidChange     | ownership changed products=porto
          listing of 3            | ListingDidChange       | (debug)
          finished                | TransactionDidFinish   | transaction finished products=porto
          listing of 1            | ListingDidChange       | (debug)
          received                | TransactionDidUpdate   | (debug)
          verified                | TransactionDidUpdate   | (debug)
          revoked                 | TransactionDidUpdate   | transaction revoked new=false products=lisbon
          finished                | TransactionDidFinish   | transaction finished products=lisbon
          received                | TransactionDidUpdate   | (debug)
          recorded                | TransactionDidUpdate   | transaction recorded new=false products=madrid
          received                | TransactionDidUpdate   | (debug)
          recorded                | TransactionDidUpdate   | transaction recorded new=false products=rome
          restored                | RestoreDidComplete     | restore completed alreadyOwned=2 restored=porto
          model · listing
          call · restore: ["porto"], had ["madrid", "rome"]
          look-ups · succeeded, Lisbon Guide, $4.99, offered, owned: porto madrid rome
        """

    @Test(.withoutAdapter, arguments: CallStyle.allCases) @MainActor
    func `streams, publishers, notifications, the log, the model and calls all report the same sequence of events`(
        style: CallStyle
    ) async throws {
        let rome = try PackedRome(in: folder)
        let server = try await ContentServer { _, path in rome.files[path].map { ContentServer.File($0) } }
        // The customer has bought a guide on another device, which this one learns only by a restore.
        try await voyager.store.purchaseElsewhere(.voyager("porto"))
        for transaction in try await voyager.store.unfinishedTransactions() {
            try await voyager.store.finish(transaction)
        }
        let ((logger, lines), sleep) = (RecordingLog.make(), ManualSleep())
        let catalog = try folder.write(rome.catalog(on: server.url), to: "catalog.plist")
        var store = InterceptedStore(voyager.store)
        store.onKnownTransactions = { () throws(StoreError) in [] }
        let manager = try await makeManager(catalog: .file(catalog), store: store) { options in
            options.logger = logger
            options.loading.schedule = RetrySchedule(random: { 0 }, sleep: { try await sleep.sleep($0) })
            options.loading.transport = DefaultTransport.patient
        }
        let listener = StoryListener(manager, lines, style)

        try await listener.chapter("a load, and a request for two products") {
            await manager.loadProducts()
            await listener.fetch(["lisbon", "nowhere"])
        }
        try await listener.chapter("a load that fails, and a request that does") {
            try await voyager.store.fail(.products, times: 2)
            await manager.loadProducts()
            await listener.fetch(["lisbon", "nowhere"])
        }
        try await listener.chapter("the load comes again by itself") {
            let events = manager.events()
            #expect(await sleep.begun() == .seconds(15))
            sleep.wake()
            await events.next { $0.word == "request succeeded" }
        }
        try await listener.chapter("a purchase") { await listener.buy("lisbon") }
        try await listener.chapter("a purchase that somebody has to approve") {
            try await voyager.store.setAsksToBuy(true)
            await listener.buy("madrid")
            try await voyager.store.setAsksToBuy(false)
        }
        try await listener.chapter("its approval") {
            let events = manager.events()
            let waiting = try #require(try await voyager.store.pendingPurchases().first)
            try await voyager.store.approve(waiting.id)
            await events.next { $0.word == "completed" }
        }
        try await listener.chapter("a purchase whose content a server has") { await listener.buy("rome") }
        try await listener.chapter("a refund") {
            let events = manager.events()
            let lisbon = try #require(
                try await voyager.store.transactions().first { $0.productIdentifier == .voyager("lisbon") })
            try await voyager.store.refund(lisbon.id)
            await events.next { $0.word == "finished" }
        }
        try await listener.chapter("a restore that the store does not answer") {
            try await voyager.store.fail(.restore, times: 1)
            await listener.restore()
        }
        try await listener.chapter("a restore") { await listener.restore() }

        let heard = try await listener.table()
        #expect(heard.split(separator: "\n") == Self.story.split(separator: "\n"), "\(heard)")
        // The first two ask whether the manifest and the archive are there, before the content is sold.
        #expect(server.requests.count == 4)
        try checkArticle(listener.names)
    }

    /// Rows of the article's table, each with the name of its chapter. In the row about content, the names of the
    /// purchase itself are left out.
    private static let rows = [
        ("a load", "a load, and a request for two products"),
        ("a load that the store does not answer", "a load that fails, and a request that does"),
        ("a purchase", "a purchase"),
        ("… that has to be approved", "a purchase that somebody has to approve"),
        ("its approval", "its approval"), ("a refund", "a refund"),
        ("the content of a purchase", "a purchase whose content a server has"), ("a restore", "a restore"),
        ("a restore that fails", "a restore that the store does not answer"),
    ]

    private func checkArticle(_ heard: [String: StoryListener.Names]) throws {
        let table = try #require(
            try DocumentationCatalog.article("ReceivingEvents").components(separatedBy: "### ")
                .first { $0.hasPrefix("Events in each style\n") })
        let lines = table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        let cells = lines.map { $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init) }
        let named = Dictionary(
            uniqueKeysWithValues: cells.map { ($0[1].trimmingCharacters(in: .whitespaces), Array($0[2...4])) })
        #expect(Set(named.keys) == Set(Self.rows.map(\.0)))
        for (row, chapter) in Self.rows {
            var names = try #require(heard[chapter])
            if row == "the content of a purchase" { names.leaveOut(try #require(heard["a purchase"])) }
            #expect(try names == StoryListener.Names(cells: #require(named[row])), "\(row): \(chapter)")
        }
    }
}
