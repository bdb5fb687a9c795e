import ArgumentParser
import Foundation
import Vitrine
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator

struct BuyCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "buy",
        abstract: "Buy a product.",
        discussion: """
            The exit status is 1 if the purchase is refused or fails, 2 if it is pending. A change of the customer's \
            subscription to another plan that begins with the next renewal is reported as planned, with its date. If \
            an earlier purchase of the product on this device is delivered only now, because its response was lost or it \
            needed approval, that purchase is reported and nothing is bought again. A non-renewing subscription that runs \
            can be bought again, and in a quantity: what is bought adds up.

            EXAMPLE:
              vitrine buy com.example.voyager.coins50 --quantity 3
            """
    )

    @Argument(help: .product, completion: .product) var identifier: String

    @Option(help: ArgumentHelp("The number of units to buy, from 1 to 10.", valueName: "n"))
    var quantity = 1

    @Option(help: ArgumentHelp("The account in the app for which the product is bought, as a UUID.", valueName: "uuid"))
    var account: String?

    @Option(
        help: ArgumentHelp(
            """
            The identifier of a promotional offer of the subscription. It is signed with the key pair of the .storekit \
            file.
            """, valueName: "offer"))
    var offer: String?

    @Option(help: ArgumentHelp("The identifier of a win-back offer of the subscription.", valueName: "offer"))
    var winBack: String?

    @Option(
        help: ArgumentHelp(
            "A token in which the app's server says whether the customer gets the introductory offer.",
            valueName: "file"), completion: .file())
    var introductoryEligibility: String?

    @OptionGroup var session: SessionOptions

    func validate() throws {
        guard (1...10).contains(quantity) else { throw ValidationError("The quantity must be from 1 to 10.") }
        guard offer == nil || winBack == nil else {
            throw ValidationError("A purchase has one offer: --offer or --win-back.")
        }
    }

    func report() async throws -> Report {
        let eligibility = try introductoryEligibility.map(TokenClaims.signedData)
        let promotion = try signedOffer()
        return try await OpenHome.open(session).use { manager, events in
            let options = PurchaseOptions(
                quantity: quantity, accountToken: try account.map(AccountToken.parse), promotionalOffer: promotion,
                winBackOffer: winBack, introductoryOfferEligibility: eligibility)
            let answer: PurchaseAnswer
            if let earlier = try await answerOfEarlierCommand(manager, events) {
                answer = earlier
            } else {
                answer = await manager.purchase(identifier, options: options)
            }
            if case .success(let signed, let notChargedAgain) = answer {
                return bought(signed.payload, notChargedAgain, manager)
            }
            return Report(
                lines: [
                    answer.isFailed
                        ? answer.result + (manager.catalog.current?.question(for: identifier) ?? "")
                        : "\(identifier): \(answer.result)"
                ],
                json: [
                    "answer": answer.word, "product": identifier, "reason": answer.reason,
                    "begins": answer.planChangeDate,
                ],
                status: answer.exitStatus)
        }
    }

    private func signedOffer() throws -> PromotionalOffer? {
        guard let offer else { return nil }
        let store = try session.home.folder.openStore()
        do throws(StoreError) {
            return try store.signOffer(offer, of: identifier)
        } catch {
            throw ToolFailure(status: .no, reason: error.reason)
        }
    }

    /// Returns the purchase of the same consumable or non-renewing subscription that an earlier command left unfinished,
    /// and that was delivered while the products were loaded. A customer who repeats a command after a missing response
    /// must not pay twice. (For owned products of other types, the store itself prevents a second charge.)
    private func answerOfEarlierCommand(
        _ manager: CatalogManager, _ events: [CatalogEvent]
    ) async throws -> PurchaseAnswer? {
        for event in events {
            guard case .transaction(.recorded(let signed, _)) = event,
                signed.payload.productIdentifier == identifier, try await isOfThisDevice(signed.payload)
            else { continue }
            // A reversed refund causes the same event, but an earlier command has already reported that purchase.
            let entries = try? await manager.ledger.history()
            let wasTakenBack = entries?.contains {
                $0.fact.kind == .revocation && $0.fact.origin?.purchaseID == signed.payload.purchaseID
            }
            if wasTakenBack == false { return .success(signed, notChargedAgain: true) }
        }
        return nil
    }

    /// Returns `true` if an earlier command on this device may have ordered a transaction that the store would charge for
    /// again.
    private func isOfThisDevice(_ payload: TransactionPayload) async throws -> Bool {
        switch payload.type {
        case .consumable: return true
        // Those that another device has bought arrive here, too.
        case .nonRenewingSubscription:
            return try await session.home.folder.openStore().hasOrdered(payload.transactionID)
        default: return false
        }
    }

    private func bought(_ payload: TransactionPayload, _ notChargedAgain: Bool, _ manager: CatalogManager) -> Report {
        let number = payload.quantity == 1 ? "" : "\(payload.quantity) of "
        var line = "bought \(number)\(payload.productIdentifier) (transaction \(payload.transactionID)"
        line += notChargedAgain ? ", not charged again)" : ")"
        let wallet = manager.catalog.current?[identifier]?.wallet
        var balance: Int?
        if let wallet, case .known(let units) = manager.wallets.balance(for: wallet) {
            balance = units
            line += "; \(wallet): \(units)"
        }
        return Report(
            lines: [line],
            json: [
                "answer": "success", "product": identifier, "transaction": payload.transactionID,
                "notChargedAgain": notChargedAgain, "quantity": payload.quantity, "wallet": wallet, "balance": balance,
            ])
    }
}

extension PurchaseAnswer {
    /// Date at which the customer's subscription changes to the bought product; `nil` if no such change is planned.
    fileprivate var planChangeDate: Date? {
        if case .pending(.planChange(let date)) = self { date } else { nil }
    }

    fileprivate var isFailed: Bool { if case .failed = self { true } else { false } }

    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .success: .yes
        case .cancelled: .no
        case .pending(let reason): reason.exitStatus
        case .failed(let failure): failure.exitStatus
        }
    }
}

extension PendingReason {
    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .askToBuy, .interrupted, .verification: .unknown
        case .planChange: .yes
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
