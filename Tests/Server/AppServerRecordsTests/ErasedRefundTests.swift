import Foundation
import Testing
import VitrineAppServerAPI
import VitrineAppServerRecords
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Purchases that the store had ended before their customer was erased.
@Suite(.hangLimit) struct ErasedRefundTests {
    private static let catalog: Data = {
        let plans = ["silver", "gold"].enumerated().map { index, plan in
            """
            <dict><key>productIdentifier</key><string>com.example.voyager.\(plan)</string><key>type</key>\
            <string>autoRenewableSubscription</string><key>subscriptionGroup</key><string>Club</string><key>level</key>\
            <integer>\(2 - index)</integer><key>subscriptionDuration</key><string>P1M</string></dict>
            """
        }
        return Data(
            """
            <plist version="1.0"><dict><key>products</key><array>\(plans.joined())<dict>\
            <key>productIdentifier</key><string>com.example.voyager.rome</string>\
            <key>consumable</key><false/></dict></array></dict></plist>
            """.utf8)
    }()

    /// Statement of the store about a purchase.
    struct Statement: Sendable {
        let product: String
        var transaction = "1"
        /// Day of the purchase, relative to the present day. A period of a subscription ends 30 days later.
        var purchased = -10.0
        /// Day on which the store has signed the statement, relative to the present day.
        var signed = -10.0
        var isRefund = false
        /// Day of the refund; `nil` for the day on which it was signed.
        var refunded: Double?
        var isUpgraded = false

        func transaction(of app: SignedApp) throws -> String {
            func day(_ number: Double) -> Date { .sample + number * 86_400 }
            let isSubscription = product != "rome"
            return try app.transaction(
                product, id: transaction, account: "A",
                kind: isSubscription ? .autoRenewableSubscription : .nonConsumable, signed: day(signed)
            ) {
                $0.originalTransactionID = "1"
                $0.purchaseDate = day(purchased)
                if isSubscription { $0.expiresDate = day(purchased + 30) }
                if isRefund { $0.revocationDate = day(refunded ?? signed) }
                if isUpgraded { $0.isUpgraded = true }
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        /// Statements before the erasure.
        let statements: [Statement]
        /// Statement that is reported after the erasure.
        let outdated: Statement
        /// Products before the erasure.
        var owned: Set<String> = []
        /// Number of ended purchases.
        var ended = 1

        var testDescription: String { id }
    }

    private static let rome = Statement(product: "rome")
    private static let silver = Statement(product: "silver")
    private static let refund = Statement(product: "rome", signed: -5, isRefund: true)

    static let cases = [
        Case(id: "a refunded product", statements: [rome, refund], outdated: rome),
        Case(id: "a refund without its purchase", statements: [refund], outdated: rome),
        Case(
            id: "two refunds and a reversal between them",
            statements: [
                rome, Statement(product: "rome", signed: -8, isRefund: true), Statement(product: "rome", signed: -7),
                refund,
            ], outdated: Statement(product: "rome", signed: -7)),
        Case(
            id: "a refund that the store has signed again",
            statements: [rome, refund, Statement(product: "rome", signed: -2, isRefund: true, refunded: -5)],
            outdated: Statement(product: "rome", signed: -3)),
        Case(
            id: "a refunded period of a subscription",
            statements: [silver, Statement(product: "silver", signed: -5, isRefund: true)], outdated: silver),
        Case(
            id: "an upgraded period of a subscription",
            statements: [silver, Statement(product: "silver", signed: -5, isUpgraded: true)], outdated: silver),
        Case(
            id: "a period that another plan has ended",
            statements: [silver, Statement(product: "gold", transaction: "2", purchased: -5, signed: -5)],
            outdated: silver, owned: ["gold"]),
        Case(
            id: "a renewed plan that another plan has ended, and a change back",
            statements: [
                Statement(product: "silver", purchased: -45, signed: -45),
                Statement(product: "silver", transaction: "2", purchased: -15, signed: -15),
                Statement(product: "gold", transaction: "3", purchased: -5, signed: -5),
                Statement(product: "silver", transaction: "4", purchased: -4, signed: -4),
            ], outdated: Statement(product: "silver", transaction: "2", purchased: -15, signed: -15),
            owned: ["silver"], ended: 2),
    ]

    @Test(arguments: DatabaseKind.here, cases)
    func `an erased customer who enrolls again does not own what the store had ended`(
        _ kind: DatabaseKind, _ test: Case
    ) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let database = try await kind.scene(in: folder).database
        let fixture = try await CustomersFixture(database: database, publishing: Self.catalog)
        let phone = CustomersFixture.Device()
        let first = try await fixture.enroll(phone, "A").device
        for statement in test.statements {
            _ = try await fixture.records.record(signed: [statement.transaction(of: fixture.app)], from: first)
        }
        #expect(try await fixture.possessions(of: first.customer).names == test.owned)
        let outdated = try test.outdated.transaction(of: fixture.app)

        for round in 0..<2 {
            let before = try await fixture.enroll(phone, "A").device
            try await fixture.records.erase(
                before.customer, token: "case-\(round)", reason: "asked for it", by: "admin")
            let again = try await fixture.enroll(phone, "A").device
            let answers = try await fixture.records.record(signed: [outdated], from: again)
            #expect(answers.map(\.result) == [.rejected])
            let notification = try fixture.app.notification(
                .oneTimeCharge, id: "n\(round)", transaction: outdated)
            #expect(try await fixture.receive(notification) == .noted)
            #expect(try await fixture.possessions(of: again.customer).names == [])
        }

        // What the store signs afterwards counts, such as the reversal of a refund.
        let last = try await fixture.enroll(phone, "A").device
        var statement = test.outdated
        statement.signed = -1
        let later = try statement.transaction(of: fixture.app)
        #expect(try await fixture.records.record(signed: [later], from: last).map(\.result) == [.accepted])
        #expect(try await fixture.possessions(of: last.customer).names == [statement.product])
        // Neither identifiers nor accounts are kept.
        let codes = try await database.rows(SQLStatement("SELECT code FROM erased_end")).compactMap(\.first?.text)
        #expect(codes.count == test.ended)
        #expect(codes.allSatisfy { code in code.count == 32 && code.allSatisfy(\.isHexDigit) })
    }

    struct ValidPurchase: Sendable, CustomTestStringConvertible {
        let id: String
        let statements: [Statement]
        let owned: Set<String>

        var testDescription: String { id }
    }

    static let valid = [
        ValidPurchase(
            id: "a reversed refund",
            statements: [rome, refund, Statement(product: "rome", signed: -3)], owned: ["rome"]),
        ValidPurchase(
            id: "a plan after an ended one",
            statements: [
                Statement(product: "silver", purchased: -50, signed: -50),
                Statement(product: "gold", transaction: "2", signed: -10),
            ], owned: ["gold"]),
    ]

    @Test(arguments: valid)
    func `an erased customer who enrolls again owns the purchases that were valid before`(_ test: ValidPurchase)
        async throws
    {
        let database = try SQLiteCustomerDatabase.inMemory()
        let fixture = try await CustomersFixture(database: database, publishing: Self.catalog)
        let phone = CustomersFixture.Device()
        let signed = try test.statements.map { try $0.transaction(of: fixture.app) }
        let first = try await fixture.enroll(phone, "A").device
        for text in signed { _ = try await fixture.records.record(signed: [text], from: first) }
        try await fixture.records.erase(first.customer, token: "case-1", reason: "asked for it", by: "admin")

        let again = try await fixture.enroll(phone, "A").device
        for text in signed { _ = try await fixture.records.record(signed: [text], from: again) }

        #expect(try await fixture.possessions(of: again.customer).names == test.owned)
        #expect(try await database.rows(SQLStatement("SELECT code FROM erased_end")) == [])
    }
}
