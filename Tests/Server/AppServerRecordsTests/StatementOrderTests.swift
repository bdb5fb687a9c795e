import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineTestSupport

/// Statements of the store about a subscription and about a product that is bought once, in every order. For consumables,
/// see ``RefundOrderTests``.
@Suite(.hangLimit) struct StatementOrderTests {
    private static let catalog = Data(
        """
        <plist version="1.0"><array><dict><key>productIdentifier</key><string>com.example.voyager.club</string>\
        <key>type</key><string>autoRenewableSubscription</string><key>storageKey</key><string>coins</string>\
        <key>productValue</key><integer>10</integer></dict><dict><key>productIdentifier</key>\
        <string>com.example.voyager.rome</string><key>consumable</key><false/></dict></array></plist>
        """.utf8)

    private static func day(_ number: Double) -> Date { .sample + number * 86_400 }

    /// Statement of the store. Days are relative to the present day.
    struct Statement: Sendable {
        /// Transaction of a period of the subscription.
        var transaction = "1"
        /// First and last day of the period; `nil` for the product that is bought once.
        var days: ClosedRange<Double>?
        let signed: Double
        var isRefund = false
        /// Day on which the grace period ends.
        var grace: Double?
        /// `true` if the statement is about a renewal, also without a grace period.
        var isRenewal = false

        func data(of app: SignedApp) throws -> (transaction: String, renewal: String?) {
            let (product, kind): (String, SignedProductKind) =
                days == nil ? ("rome", .nonConsumable) : ("club", .autoRenewableSubscription)
            let transaction = try app.transaction(
                product, id: transaction, account: "A", kind: kind, signed: StatementOrderTests.day(signed)
            ) {
                $0.originalTransactionID = "1"
                $0.purchaseDate = StatementOrderTests.day(days?.lowerBound ?? -9)
                $0.expiresDate = days.map { StatementOrderTests.day($0.upperBound) }
                if isRefund { $0.revocationDate = StatementOrderTests.day(signed) }
            }
            guard isRenewal || grace != nil else { return (transaction, nil) }
            var renewal = RenewalPayload(
                originalTransactionID: "1", productIdentifier: .voyager(product),
                gracePeriodExpiresDate: grace.map(StatementOrderTests.day), environment: SignedApp.environment,
                signedDate: StatementOrderTests.day(signed))
            renewal.autoRenewStatus = .on
            renewal.isInBillingRetryPeriod = true
            return (transaction, try app.identity.sign(renewal))
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let statements: [Statement]
        let owned: Set<String>
        var coins = 0
    }

    private static let bought = Statement(signed: -9)
    private static let running = Statement(days: -9...20, signed: -9)
    private static let ended = Statement(days: -9 ... -5, signed: -9)
    private static let grace = Statement(days: -9 ... -5, signed: -5, grace: 5)
    private static let endedRefund = Statement(days: -9 ... -5, signed: -4, isRefund: true)
    private static let next = Statement(transaction: "2", days: -3...20, signed: -3)

    private static let cases = [
        Case(
            testDescription: "a refund of a product", statements: [bought, .init(signed: -5, isRefund: true)],
            owned: []),
        Case(
            testDescription: "a refund of a product, and its reversal",
            statements: [bought, .init(signed: -5, isRefund: true), .init(signed: -4)], owned: ["rome"]),
        Case(
            testDescription: "a reversal between two refunds of a product",
            statements: [
                bought, .init(signed: -5, isRefund: true), .init(signed: -4), .init(signed: -3, isRefund: true),
            ], owned: []),
        Case(
            testDescription: "a refund of the first period",
            statements: [running, .init(days: -9...20, signed: -5, isRefund: true)], owned: []),
        Case(
            testDescription: "a refund of the first period, and its reversal",
            statements: [
                running, .init(days: -9...20, signed: -5, isRefund: true), .init(days: -9...20, signed: -4),
            ], owned: ["club"], coins: 10),
        Case(
            testDescription: "an extension, a refund and its reversal",
            statements: [
                .init(days: -9 ... -1, signed: -9), .init(days: -9...5, signed: -6),
                .init(days: -9...5, signed: -5, isRefund: true), .init(days: -9...5, signed: -4),
            ], owned: ["club"], coins: 10),
        Case(testDescription: "a grace period", statements: [ended, grace], owned: ["club"], coins: 10),
        Case(
            testDescription: "a grace period that ends",
            statements: [ended, grace, .init(days: -9 ... -5, signed: -4, isRenewal: true)], owned: [], coins: 10),
        Case(
            testDescription: "a refund of the first period in its grace period",
            statements: [ended, grace, endedRefund], owned: []),
        Case(
            testDescription: "a refund of the first period in its grace period, and its reversal",
            statements: [ended, grace, endedRefund, .init(days: -9 ... -5, signed: -3)], owned: ["club"], coins: 10),
        Case(
            testDescription: "a refund of the period that was paid in a grace period",
            statements: [
                ended, grace, next, .init(transaction: "2", days: -3...20, signed: -2, isRefund: true),
            ], owned: [], coins: 10),
    ]

    @Test(arguments: cases)
    func `the last signed statements determine the state at the server, in every order of notifications and reports`(
        _ test: Case
    ) async throws {
        let app = try SignedApp()
        for order in test.statements.permutations {
            let fixture = try await CustomersFixture(app: app, publishing: Self.catalog)
            let phone = try await fixture.enroll(.init(), "A").device
            for (index, statement) in order.enumerated() {
                let (transaction, renewal) = try statement.data(of: app)
                if index.isMultiple(of: 2) {
                    let notification = try app.notification(
                        statement.isRefund ? .refund : .didFailToRenew, id: "n\(index)", transaction: transaction,
                        renewal: renewal)
                    #expect(try await fixture.receive(notification) == .recorded)
                } else {
                    let signed = [transaction] + (renewal.map { [$0] } ?? [])
                    let answers = try await fixture.records.record(signed: signed, from: phone)
                    #expect(answers.allSatisfy { [.accepted, .known].contains($0.result) }, "\(order)")
                }
            }
            let possessions = try await fixture.possessions(of: phone.customer)
            #expect(possessions.names == test.owned, "\(order)")
            #expect(possessions.wallets["coins", default: 0] == test.coins, "\(order)")
        }
    }
}
