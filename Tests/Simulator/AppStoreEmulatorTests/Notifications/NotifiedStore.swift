import Foundation
import HTTPTypes
import Testing
import VitrineAppStoreEmulator
import VitrineCatalog
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Served store of the club, with a receiver of its notifications and the customers of the cases.
struct NotifiedStore: Sendable {
    /// Start date of the store: January 15. The months after it have 31, 28 and 31 days.
    static let start = Date(timeIntervalSince1970: 1_800_000_000)
    static let day: TimeInterval = 86_400
    /// Date of the machine's clock for the store.
    static let machineDate = start - 400 * day

    let served: ServedStore
    let receiver: LoopbackServer

    var store: SimulatedStore { served.store }

    /// Serves a store while a function runs.
    ///
    /// - Parameters:
    ///   - edit: Function that changes the configuration.
    ///   - receiver: Receiver; `nil` for one that accepts everything.
    static func run<Value: Sendable>(
        in environment: StoreEnvironment = .sandbox, edit: (String) -> String = { $0 },
        receiver: LoopbackServer? = nil, options: AppStoreEmulatorOptions = AppStoreEmulatorOptions(),
        _ body: (NotifiedStore) async throws -> Value
    ) async throws -> Value {
        let configuration = try String(contentsOf: Repository.file("Catalogs/Club.storekit"), encoding: .utf8)
        let store = try SimulatedStore.inMemory(
            configuration: Data(edit(configuration).utf8), bundleIdentifier: ServedStore.bundle,
            environment: environment, appIdentifier: environment == .production ? ServedStore.app : nil,
            now: { machineDate }, seed: 7)
        let accepting: LoopbackServer
        if let receiver { accepting = receiver } else { accepting = try await LoopbackServer(.reply()) }
        return try await ServedStore.run(store, at: start, webhook: accepting, options: options) { served in
            try await body(NotifiedStore(served: served, receiver: accepting))
        }
    }

    // MARK: Notifications

    /// Waits until the receiver has all notifications of the store, verifies them, and returns them in the order of
    /// their arrival.
    ///
    /// - Parameter count: Number of notifications to skip at the beginning.
    func received(after count: Int = 0) async throws -> [ReceivedNotification] {
        let made = try await store.notifications()
        while receiver.requests.count < made.count { await receiver.arrival() }
        let requests = receiver.requests
        #expect(requests.count == made.count)
        let verifier = try served.verifier()
        var received: [ReceivedNotification] = []
        for request in requests {
            received.append(try await ReceivedNotification(request, verifier, in: store.environment))
        }
        #expect(received.map(\.payload.notificationID) == made.map(\.identifier))
        #expect(received.map(\.row) == made.map { NotificationRow.id($0.type, $0.subtype) })
        #expect(received.map(\.payload.signedDate) == made.map(\.date))
        #expect(received.map(\.transaction?.transactionID) == made.map(\.transaction))
        #expect(Set(made.map(\.identifier)).count == made.count)
        return Array(received.dropFirst(count))
    }

    /// Returns the facts of the received notifications.
    ///
    /// - Parameter count: Number of notifications to skip at the beginning.
    func facts(after count: Int = 0) async throws -> [NotificationFacts] {
        let customers = try await store.customers()
        let names = Dictionary(customers.map { ($0.appTransactionID, $0.name) }, uniquingKeysWith: { $1 })
        return try await received(after: count).map { NotificationFacts($0, names: names) }
    }

    // MARK: Events

    /// Returns the device of a customer with a name.
    func customer(_ name: String) throws -> SimulatedStore { try store.device("phone", of: name) }

    /// Adds the first customer and Ada to a family.
    func formFamily() async throws {
        for member in [store, try customer("Ada")] { try await member.joinFamily("Lovelace") }
    }

    /// Buys a product.
    ///
    /// - Returns: The number of the transaction.
    @discardableResult
    func buy(
        _ product: String, _ options: PurchaseOptions = PurchaseOptions(), as customer: String? = nil
    ) async throws -> String {
        let device = try customer.map { try self.customer($0) } ?? store
        let answer = try await device.purchase(product, options: options)
        return try #require(answer.transaction, "not bought: \(answer)").id
    }

    /// Returns the number of the first customer's latest transaction.
    func latest() async throws -> String { try #require(await store.transactions().last).id }

    /// Advances the clock to the beginning of a day, counted from the start.
    func advance(toDay day: Int) async throws {
        try await store.advance(to: Self.start + TimeInterval(day) * Self.day)
    }

    /// Returns options for a purchase with the promotional offer `spring` of the product `club.gold`.
    func spring() async throws -> PurchaseOptions {
        let file = try Data(contentsOf: Repository.file("Catalogs/Club.storekit"))
        let pair = try #require(try StoreConfiguration(data: file).offersKeyPair)
        let key = try OfferKey(pem: pair.pem, identifier: pair.id)
        let request = OfferRequest(
            purpose: .promotionalOffer(product: "club.gold", offer: "spring", transaction: nil),
            bundleIdentifier: ServedStore.bundle, issuer: "issuer", nonce: UUID(), date: store.clock.now)
        return PurchaseOptions(promotionalOffer: PromotionalOffer(offerID: "spring", compactJWS: try key.sign(request)))
    }

    /// Sends a request to the App Store Server API, and expects that it is accepted.
    func request(_ method: HTTPRequest.Method, _ path: String, _ body: [String: any Sendable]? = nil) async throws {
        var request = HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:\(served.url.port ?? 0)", path: path)
        request.headerFields[.authorization] = "Bearer \(try served.token())"
        if body != nil { request.headerFields[.contentType] = "application/json" }
        let reply = try await DefaultTransport.patient.send(
            request, body: body.map { try JSONSerialization.data(withJSONObject: $0) } ?? Data(),
            limits: HTTPLimits(size: 1 << 20, seconds: 60))
        #expect(reply.response.status == .ok, "\(String(decoding: reply.body, as: UTF8.self))")
    }

    /// Requests the extension of the first customer's first subscription by 10 days.
    func extend() async throws {
        let subscription = try #require(await store.subscriptions().first)
        try await request(
            .put, "/inApps/v1/subscriptions/extend/\(subscription.id)",
            ["extendByDays": 10, "extendReasonCode": 1, "requestIdentifier": "outage"])
    }

    /// Requests an extension of all subscriptions to a product by 10 days, and advances the clock until it is
    /// completed.
    func extendAll(_ product: String, in storefronts: [String]? = nil) async throws {
        var body: [String: any Sendable] = [
            "extendByDays": 10, "extendReasonCode": 1, "productId": product,
            "requestIdentifier": "5c5ff1e3-0a3b-4d35-b9a3-7d5e8c9f0a11",
        ]
        body["storefrontCountryCodes"] = storefronts
        try await request(.post, "/inApps/v1/subscriptions/extend/mass", body)
        try await store.advance(by: 60)
    }
}
