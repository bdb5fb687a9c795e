import Foundation
import Testing
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct AppStoreServerPagesTests {
    private let sample = ServerAPISample()
    private let day = Date(timeIntervalSince1970: 1_790_000_000)

    // MARK: Transactions

    @Test func `a transaction history is read page by page, each request with the previous page's revision`()
        async throws
    {
        let server = try await LoopbackServer(
            .history(["a", "b"], revision: "r+1/=", hasMore: true), .history([], revision: "r2", hasMore: true),
            .history(["c"], revision: "r3", hasMore: false))
        let (pages, error) = await sample.client(server.url).transactionHistory(of: "7").all

        #expect(error == nil)
        #expect(pages.map(\.signedTransactions) == [["a", "b"], [], ["c"]])
        #expect(pages.map(\.revision) == ["r+1/=", "r2", "r3"])
        #expect(pages.map(\.hasMore) == [true, true, false])
        #expect(pages.last?.environment == .sandbox)
        #expect(pages.last?.bundleIdentifier == "com.example.app")
        #expect(
            server.requests.map(\.path) == [
                "/inApps/v2/history/7", "/inApps/v2/history/7?revision=r%2B1%2F%3D",
                "/inApps/v2/history/7?revision=r2",
            ])
        #expect(server.requests.allSatisfy { $0.method == "GET" && $0.token != nil })
    }

    @Test func `a transaction history can be continued later from its last revision`() async throws {
        let server = try await LoopbackServer(
            .history(["a"], revision: "r1", hasMore: false), .history([], revision: "r1", hasMore: false),
            .history(["b"], revision: "r2", hasMore: false))
        let client = sample.client(server.url)
        let first = await client.transactionHistory(of: "7").all.pages
        let nothing = await client.transactionHistory(of: "7", after: first.last?.revision).all
        let later = await client.transactionHistory(of: "7", after: nothing.pages.last?.revision).all

        #expect(nothing.pages.map(\.signedTransactions) == [[]])
        #expect(nothing.error == nil)
        #expect(later.pages.map(\.signedTransactions) == [["b"]])
        #expect(
            server.requests.map(\.path) == [
                "/inApps/v2/history/7", "/inApps/v2/history/7?revision=r1", "/inApps/v2/history/7?revision=r1",
            ])
    }

    @Test func `an empty transaction history has one page`() async throws {
        let server = try await LoopbackServer(
            .json(#"{"revision": "r", "hasMore": false, "bundleId": "b", "environment": "Production"}"#))
        let (pages, error) = await sample.client(server.url).transactionHistory(of: "7").all
        #expect(error == nil)
        #expect(pages.map(\.signedTransactions) == [[]])
    }

    @Test func `all fields of a transaction history filter are sent with every page request`() async throws {
        let server = try await LoopbackServer(
            .history([], revision: "r1", hasMore: true), .history([], revision: "r2", hasMore: false))
        var filter = TransactionHistoryFilter()
        filter.startDate = day
        filter.endDate = day.addingTimeInterval(0.0015)
        filter.productIdentifiers = ["a&b", "com.example.app.coins"]
        filter.productKinds = TransactionHistoryFilter.ProductKind.allCases
        filter.subscriptionGroups = ["20", "21"]
        filter.ownership = .familyShared
        filter.isRevoked = false
        filter.order = .descending
        let (_, error) = await sample.client(server.url).transactionHistory(of: "7", filter: filter).all

        let query = """
            startDate=1790000000000&endDate=1790000000002&productId=a%26b&productId=com.example.app.coins\
            &productType=AUTO_RENEWABLE&productType=NON_RENEWABLE&productType=CONSUMABLE&productType=NON_CONSUMABLE\
            &subscriptionGroupIdentifier=20&subscriptionGroupIdentifier=21&inAppOwnershipType=FAMILY_SHARED\
            &revoked=false&sort=DESCENDING
            """
        #expect(error == nil)
        #expect(
            server.requests.map(\.path)
                == ["/inApps/v2/history/7?\(query)", "/inApps/v2/history/7?revision=r1&\(query)"])
    }

    @Test(arguments: [1e300, .nan, -.infinity])
    func `a transaction history filter with a date out of range is not sent`(
        seconds: Double
    ) async throws {
        let server = try await LoopbackServer(.reply(500))
        let date = Date(timeIntervalSince1970: seconds)
        var filter = TransactionHistoryFilter()
        filter.startDate = date
        let client = sample.client(server.url)
        let transactions = await client.transactionHistory(of: "7", filter: filter).all
        let notifications = await client.notificationHistory(
            NotificationHistoryFilter(startDate: day, endDate: date)
        ).all

        #expect(transactions.error?.code == .invalidRequest)
        #expect(notifications.error?.code == .invalidRequest)
        #expect(server.requests.isEmpty)
    }

    @Test func `an error ends a transaction history, which can be resumed from the last page that was read`()
        async throws
    {
        let server = try await LoopbackServer(
            .history(["a"], revision: "r1", hasMore: true), .reply(503), .history(["b"], revision: "r2", hasMore: false)
        )
        let client = sample.client(server.url)
        var pages = client.transactionHistory(of: "7").makeAsyncIterator()
        let first = try await pages.next()
        let error = await #expect(throws: AppStoreServerError.self) { try await pages.next() }

        #expect(error?.code == .unavailable)
        #expect(try await pages.next() == nil)
        #expect(server.requests.count == 2)
        let rest = await client.transactionHistory(of: "7", after: first?.revision).all.pages
        #expect(rest.map(\.signedTransactions) == [["b"]])
    }

    @Test func `a history page that repeats the revision of the previous page ends the history with an error`()
        async throws
    {
        let history = try await LoopbackServer(.history(["a"], revision: "r1", hasMore: true))
        let notifications = try await LoopbackServer(.notifications(["n"], token: "t1"))
        let filter = NotificationHistoryFilter(startDate: day, endDate: day)
        let transactions = await sample.client(history.url).transactionHistory(of: "7").all
        let sent = await sample.client(notifications.url).notificationHistory(filter).all

        #expect(transactions.error?.code == .format)
        #expect(transactions.pages.count == 1)
        #expect(sent.error?.code == .format)
        #expect([history, notifications].map(\.requests.count) == [2, 2])
    }

    @Test func `a page of a transaction history is requested only when it is read`() async throws {
        let server = try await LoopbackServer(.history(["a"], revision: "r1", hasMore: true))
        let history = sample.client(server.url).transactionHistory(of: "7")
        #expect(server.requests.isEmpty)
        for try await _ in history { break }
        #expect(server.requests.count == 1)
    }

    // MARK: Notifications

    @Test func `notifications are read page by page with the same request body`() async throws {
        let server = try await LoopbackServer(
            .notifications(["a", "b"], token: "t/1"), .notifications([], token: "t2"),
            .notifications(["c"], token: nil))
        let filter = NotificationHistoryFilter(startDate: day, endDate: day.addingTimeInterval(60))
        let (pages, error) = await sample.client(server.url).notificationHistory(filter).all

        #expect(error == nil)
        #expect(pages.map { $0.notifications.map(\.signedPayload) } == [["a", "b"], [], ["c"]])
        #expect(pages.map(\.paginationToken) == ["t/1", "t2", nil])
        let path = "/inApps/v1/notifications/history"
        #expect(
            server.requests.map(\.path) == [path, "\(path)?paginationToken=t%2F1", "\(path)?paginationToken=t2"])
        for request in server.requests {
            #expect(request.method == "POST")
            #expect(request.headers["content-type"] == "application/json")
            #expect(request.text == #"{"endDate":1790000060000,"startDate":1790000000000}"#)
            #expect(request.token != nil)
        }
    }

    @Test(
        arguments: [
            (.all, true, #""onlyFailures":true,"#),
            (.customer(transactionID: "7"), false, #""transactionId":"7""#),
            (.type(.refund), false, #""notificationType":"REFUND","#),
            (
                .type(.expired, subtype: .voluntary), true,
                #""notificationSubtype":"VOLUNTARY","notificationType":"EXPIRED","onlyFailures":true,"#
            ),
        ] as [(NotificationHistoryFilter.Selection, Bool, String)]
    )
    func `a notification filter is sent as the request body`(
        selection: NotificationHistoryFilter.Selection, onlyFailures: Bool, fields: String
    ) async throws {
        let server = try await LoopbackServer(.notifications([], token: nil))
        let filter = NotificationHistoryFilter(
            startDate: day, endDate: day, selection: selection, onlyFailures: onlyFailures)
        _ = await sample.client(server.url).notificationHistory(filter, after: "t").all

        let request = try #require(server.requests.first)
        #expect(request.path == "/inApps/v1/notifications/history?paginationToken=t")
        let dates = [#""endDate":1790000000000"#, #""startDate":1790000000000"#]
        #expect(
            request.text
                == (fields.hasSuffix(",")
                    ? "{\(dates[0]),\(fields)\(dates[1])}" : "{\(dates.joined(separator: ",")),\(fields)}"))
    }

    @Test(
        arguments: [
            ("no position", #"{"notificationHistory": [], "hasMore": true}"#),
            ("no end", #"{"notificationHistory": [], "paginationToken": "t"}"#),
            ("no payload", #"{"notificationHistory": [{"sendAttempts": []}], "hasMore": false}"#),
            (
                "a text as date",
                #"{"notificationHistory": [{"signedPayload": "n", "sendAttempts": [{"attemptDate": "1", "sendAttemptResult": "OTHER"}]}], "hasMore": false}"#
            ),
        ]
    )
    func `a notification page with a missing or invalid field is a format error`(name: String, body: String)
        async throws
    {
        let server = try await LoopbackServer(.json(body))
        let filter = NotificationHistoryFilter(startDate: day, endDate: day)
        let (pages, error) = await sample.client(server.url).notificationHistory(filter).all
        #expect(pages.isEmpty)
        #expect(error?.code == .format)
    }

    @Test func `a cancelled task requests no further page`() async throws {
        let server = try await LoopbackServer(.silence)
        let history = sample.client(server.url).transactionHistory(of: "7")
        let task = Task { await history.all.error?.code }
        await server.arrival()
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(server.requests.count == 1)
    }
}
