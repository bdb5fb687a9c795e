import ArgumentParser
import Entitlements
import Foundation
import ProductCatalog
import Purchasing
import Receipts
import Vitrine

struct BuyCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "buy",
        abstract: "Buy a product.",
        discussion: """
            The exit status is 1 if the purchase is refused or fails, 2 if it is pending. If an earlier purchase of \
            the product is delivered only now, because its response was lost or it needed approval, that purchase is \
            reported and nothing is bought again.

            EXAMPLE:
              vitrine buy com.example.voyager.coins50 --quantity 3
            """
    )

    @Argument(help: ArgumentHelp("The product's identifier.", valueName: "id"))
    var identifier: String

    @Option(help: ArgumentHelp("Units to buy, from 1 to 10.", valueName: "n"))
    var quantity = 1

    @Option(help: ArgumentHelp("The app account that buys the product.", valueName: "uuid"))
    var account: String?

    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func validate() throws {
        guard (1...10).contains(quantity) else { throw ValidationError("The quantity must be from 1 to 10.") }
    }

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose).use { manager, events in
            let options = PurchaseOptions(quantity: quantity, accountToken: try account.map(AccountToken.parse))
            let answer: PurchaseAnswer
            if let earlier = await answerOfEarlierCommand(manager, events) {
                answer = earlier
            } else {
                answer = await manager.purchase(identifier, options: options)
            }
            var document = Document(answer: answer.word, product: identifier)
            switch answer {
            case .success(let signed, let notChargedAgain):
                document.transaction = signed.payload.transactionID
                document.notChargedAgain = notChargedAgain
                document.quantity = signed.payload.quantity
                document.wallet = manager.catalog.current?[identifier]?.storageKey
                if case .known(let units) = document.wallet.map({ manager.wallets.balance(for: $0) }) {
                    document.balance = units
                }
                return Report(lines: [words(signed.payload, document)], json: document, status: .yes)
            case .cancelled:
                return Report(lines: ["\(identifier): cancelled"], json: document, status: .no)
            case .pending(let reason):
                document.reason = reason.words
                return Report(
                    lines: ["\(identifier): pending: \(reason.words)"], json: document, status: reason.exitStatus)
            case .failed(let failure):
                document.reason = failure.reason
                return Report(
                    lines: ["\(failure.code == .rejected ? "not delivered" : "not bought"): \(failure.reason)"],
                    json: document,
                    status: failure.exitStatus)
            }
        }
    }

    /// Returns the purchase of a consumable that was delivered while the products were loaded: a customer who repeats
    /// the command after a missing response has already paid. (For owned products the store does not charge again
    /// anyway.)
    private func answerOfEarlierCommand(_ manager: CatalogManager, _ events: [CatalogEvent]) async -> PurchaseAnswer? {
        for event in events {
            guard case .transaction(.recorded(let signed, _)) = event,
                signed.payload.productIdentifier == identifier, signed.payload.type == .consumable
            else { continue }
            // A reversed refund is recorded by the same event, but that purchase was reported before.
            let entries = try? await manager.ledger.history()
            let wasTakenBack = entries?.contains {
                $0.fact.kind == .revocation && $0.fact.origin?.purchaseID == signed.payload.purchaseID
            }
            if wasTakenBack == false { return .success(signed, notChargedAgain: true) }
        }
        return nil
    }

    private func words(_ payload: TransactionPayload, _ document: Document) -> String {
        let number = payload.quantity == 1 ? "" : "\(payload.quantity) of "
        let bought = "bought \(number)\(payload.productIdentifier) (transaction \(payload.transactionID)"
        let charge = document.notChargedAgain == true ? ", not charged again)" : ")"
        guard let wallet = document.wallet, let balance = document.balance else { return bought + charge }
        return bought + charge + "; \(wallet): \(balance)"
    }

    private struct Document: Encodable {
        let answer: String
        let product: String
        var transaction: String?
        var notChargedAgain: Bool?
        var quantity: Int?
        var wallet: String?
        var balance: Int?
        var reason: String?
    }
}

extension PendingReason {
    fileprivate var words: String {
        switch self {
        case .askToBuy: "approval is required"
        case .outcomeUnknown(let error): "the outcome is unknown: \(error)"
        case .verification(let reason): "the transaction could not be verified: \(reason)"
        case .content(let error): "paid for and owned, but the content is not installed: \(error)"
        case .delivery(let reason): "paid for, but not delivered yet: \(reason)"
        }
    }

    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .askToBuy, .verification: .unknown
        case .outcomeUnknown(let error): error.exitStatus
        case .content(let error): error.exitStatus
        case .delivery(let reason): reason.exitStatus
        }
    }
}

extension PurchaseFailure {
    fileprivate var exitStatus: ExitStatus {
        switch code {
        case .ledger, .storage: .inputOutput
        case .outcomeUnknown: .unknown
        default: .no
        }
    }
}
