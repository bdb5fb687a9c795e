import ArgumentParser
import Foundation
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Show the state of the simulated store, or act as the store or its customer.",
        discussion: """
            The next command in the same home receives the result of an action, as an app does at its next launch.
            """,
        subcommands: [
            StoreTransactionsCommand.self, StoreSetCommand.self, StoreRefundCommand.self,
            StoreReverseRefundCommand.self, StoreApproveCommand.self, StoreDeclineCommand.self,
            StoreShareCommand.self, StoreRevokeFamilyCommand.self, StorePromoteCommand.self, StoreFailCommand.self,
            StoreReceiptCommand.self, StoreRootCommand.self, StoreClockCommand.self, StoreAdvanceCommand.self,
            StoreTimelineCommand.self, StoreRateCommand.self, StorePriceCommand.self, StoreConsentCommand.self,
            StoreWithdrawCommand.self, StoreRedeemCommand.self, StoreCustomersCommand.self, StoreAccountCommand.self,
            StoreFamilyCommand.self, StoreResolveCommand.self, StoreRequestRefundCommand.self,
            StoreDeclineRefundCommand.self, StoreServeCommand.self, StoreKeyCommand.self, StoreWebhookCommand.self,
            StoreEnvironmentCommand.self, StoreNotificationsCommand.self, StoreNotifyCommand.self,
            StoreReplayCommand.self,
        ]
    )
}

struct StoreTransactionsCommand: StoreReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "transactions",
        abstract: "List the store's transactions and the purchases that wait for approval.",
        discussion: """
            This command only lists the transactions, and does not deliver them.

            EXAMPLE:
              vitrine store transactions
            """
    )

    @OptionGroup var options: StoreOptions

    func report(on store: SimulatedStore) async throws(SimulatedStoreError) -> Report {
        let transactions = try await store.transactions() + store.pendingPurchases()
        let customer = try await store.customers().count > 1 ? store.customer : nil
        let hasSubscriptions = transactions.contains { $0.expirationDate != nil }
        var table = Table(
            headings: [
                "ID", customer.map { _ in "CUSTOMER" }, "PRODUCT", "QUANTITY", "ORDER", "DATE",
                hasSubscriptions ? "EXPIRES" : nil,
                "STATE",
            ].compactMap(\.self))
        table.rows = transactions.map {
            [
                $0.id, customer, $0.productIdentifier, String($0.quantity), $0.orderIdentifier ?? "-",
                $0.purchaseDate.second,
                hasSubscriptions ? $0.expirationDate?.second ?? "-" : nil, $0.stateText,
            ].compactMap(\.self)
        }
        return Report(
            lines: transactions.isEmpty ? ["no transactions"] : table.lines,
            json: ["transactions": transactions.map { $0.document(of: store.customer) }])
    }
}

extension SimulatedTransaction {
    fileprivate func document(of customer: String) -> JSONObject {
        let isSubscription = groupID != nil
        return [
            "id": id, "product": productIdentifier, "kind": kind, "quantity": quantity, "date": purchaseDate,
            "pending": isPending, "finished": isFinished, "refunded": revocationDate,
            "familyShared": ownershipType == .familyShared, "accountToken": accountToken?.uuidString.lowercased(),
            "customer": customer, "order": orderIdentifier,
            "interrupted": isInterrupted ? true : nil, "expires": expirationDate,
            "renewal": isSubscription ? isRenewal : nil, "upgraded": isSubscription ? isUpgraded : nil,
            "offer": offerType.map { type -> JSONObject in ["type": type.word, "identifier": offerIdentifier] },
            "refundedPercent": revocationPercentage.map { Double($0) / 1_000 },
        ]
    }

    fileprivate var stateText: String {
        guard !isPending else {
            return isInterrupted ? "interrupted until the customer resolves an issue" : "pending"
        }
        let isShared = ownershipType == .familyShared
        return [
            isRenewal ? "renewal" : nil, offerText, isUpgraded ? "upgraded" : nil,
            isShared ? "shared by the family" : nil, revocationText, isFinished ? "finished" : "unfinished",
        ].compactMap(\.self).joined(separator: ", ")
    }

    private var offerText: String? {
        offerType.map { "offer \($0.word)" + (offerIdentifier.map { " \($0)" } ?? "") }
    }

    private var revocationText: String? {
        guard let revocationDate else { return nil }
        guard ownershipType != .familyShared else { return "revoked on \(revocationDate.day)" }
        let part = revocationPercentage.flatMap { $0 == 100_000 ? nil : "\(Double($0) / 1_000) % " }
        return "\(part ?? "")refunded on \(revocationDate.day)"
    }
}

extension OfferType {
    /// Name of the type of offer, for the output.
    fileprivate var word: String {
        switch self {
        case .introductory: "introductory"
        case .promotional: "promotional"
        case .offerCode: "code"
        case .winBack: "win-back"
        default: String(rawValue)
        }
    }
}
