import Foundation
import HTTPTypes
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Requests for orders and app transactions.
@Suite(.hangLimit) struct OrderTests {
    @Test(arguments: [StoreEnvironment.sandbox, .production])
    func `looking up an order identifier returns its transaction, and other order identifiers are invalid`(
        environment: StoreEnvironment
    ) async throws {
        try await ServedStore.run(environment: environment) { served in
            let caller = try APICaller(served)
            let bought = try await served.buy("coins", "map", "pass", "club.silver")
            try await served.store.refund(bought[1])
            let orders = try bought.map { OrderIdentifier.identifier(of: try #require(Int64($0))) }
            func lookUp(_ order: String) async throws -> APIAnswer {
                try await caller.send(.get, "/inApps/v1/lookup/\(order)")
            }
            for (order, id) in zip(orders, bought) {
                #expect(order.wholeMatch(of: /M[0-9A-Z]{9,}/) != nil)
                let answer = try await lookUp(order)
                #expect((answer.status, answer.json?["status"]) == (200, .integer(0)))
                #expect(try answer.transactions.map(\.transactionID) == [id])
            }
            let cases = [
                ("another order", "M000000000"), ("an order that no one has", "MZZZZZZZZZ"),
                ("lower case", orders[0].lowercased()), ("no letter", String(orders[0].dropFirst())),
                ("one digit more", orders[0] + "0"), ("a leading zero", "M0" + orders[0].dropFirst()),
                ("a sign", "M+" + orders[0].dropFirst()), ("the transaction", bought[0]), ("words", "my%20order"),
                ("a large number", "MZZZZZZZZZZZZZZZZZZZZ"), ("64 letters", String(repeating: "M", count: 64)),
            ]
            for (id, order) in cases {
                let answer = try await lookUp(order)
                #expect((answer.status, answer.json?["status"]) == (200, .integer(1)), "\(id)")
                #expect(answer.json?["signedTransactions"] == nil, "\(id)")
            }
            for order in ["", String(repeating: "M", count: 65), "M%0A00000000", "M%1F"] {
                #expect(try await lookUp(order).code == 4_000_000, "\(order)")
            }
        }
    }

    @Test(arguments: [StoreEnvironment.sandbox, .production])
    func `the app transaction is returned once the customer has an original purchase of the app`(
        environment: StoreEnvironment
    ) async throws {
        try await ServedStore.run(environment: environment) { served in
            let caller = try APICaller(served)
            let bought = try await served.buy("coins", "map")
            let customer = try await served.appTransaction()
            func info(_ id: String) async throws -> APIAnswer {
                try await caller.send(.get, "/inApps/v1/transactions/appTransactions/\(id)")
            }
            for id in bought + [customer] { #expect(try await info(id).code == 4_040_019) }
            #expect(try await info(ServedStore.unknown).code == 4_040_010)
            #expect(try await info("abc").code == 4_000_006)

            let date = Date(timeIntervalSince1970: 1_500_000_000)
            try await served.store.setOriginalPurchase(
                OriginalPurchase(version: "17", date: date, platform: AppPlatform(rawValue: "macOS")))
            for id in bought + [customer] {
                let signed = try #require(try await info(id)[text: "signedAppTransactionInfo"])
                guard case .verified(let verified) = try await served.verifier().verify(appTransaction: signed) else {
                    throw ServedTestFailure("the app transaction is not verified")
                }
                let payload = verified.payload
                #expect((payload.originalApplicationVersion, payload.originalPurchaseDate) == ("17", date))
                #expect((payload.originalPlatform, payload.environment) == ("macOS", environment))
                #expect((payload.bundleIdentifier, payload.appTransactionID) == (ServedStore.bundle, customer))
                #expect(payload.appIdentifier == (environment == .production ? ServedStore.app : nil))
                #expect((payload.signedDate, payload.deviceVerification) == (ServedStore.start, nil))
            }
            let other = try await served.buy("coins", by: try served.store.device("phone", of: "ann"))[0]
            #expect(try await info(other).code == 4_040_019)
        }
    }

    @Test(arguments: [StoreEnvironment.sandbox, .production])
    func `only responses in the production environment contain the app's Apple ID`(environment: StoreEnvironment)
        async throws
    {
        try await ServedStore.run(environment: environment) { served in
            let caller = try APICaller(served)
            let id = try await served.buy("club.silver")[0]
            let name = environment == .production ? "Production" : "Sandbox"
            for path in ["/inApps/v1/history/", "/inApps/v2/history/", "/inApps/v1/subscriptions/"] {
                let answer = try await caller.send(.get, path + id)
                #expect(answer[text: "environment"] == name, "\(path)")
                #expect(answer[text: "bundleId"] == ServedStore.bundle, "\(path)")
                let number = answer.json?["appAppleId"]
                #expect(number == (environment == .production ? .integer(ServedStore.app) : nil), "\(path)")
            }
            let info = try await caller.send(.get, "/inApps/v1/transactions/\(id)")
            #expect(try info.transaction.environment == environment)
        }
    }
}
