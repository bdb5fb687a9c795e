internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineReceipts

/// Verifier that checks whether facts come from a receipt.
struct ReceiptProof: Sendable {
    private let signed: SignedAppReceipt
    private let purchases: [String: [ReceiptPurchase]]

    init(_ signed: SignedAppReceipt) {
        self.signed = signed
        purchases = Dictionary(grouping: signed.receipt.purchases, by: \.transactionID)
    }

    /// Verifies a recorded receipt. The result is used for all facts that come from the receipt.
    ///
    /// - Parameter isMoved: `true` if another ledger has recorded the receipt.
    static func of(
        _ receipt: Fact.Receipt, by verifier: (any ReceiptVerifier)?, isMoved: Bool
    ) async -> Verification<ReceiptProof> {
        guard let verifier else { return .undetermined("no receipt verifier is configured") }
        guard let data = Data(base64Encoded: receipt.signedData) else {
            return .rejected([RejectionReason(code: .malformed, reason: "the recorded receipt is not in base64")])
        }
        switch await isMoved ? verifier.verify(moved: data) : verifier.verify(stored: data) {
        case .verified(let signed): return .verified(ReceiptProof(signed))
        case .rejected(let reasons): return .rejected(reasons)
        case .undetermined(let reason): return .undetermined(reason)
        }
    }

    func says(_ fact: Fact) -> Bool {
        switch fact {
        case .receipt(let receipt): receipt == Fact.Receipt(signed)
        case .appPurchase(let purchase): says(purchase)
        case .purchase(let purchase):
            readings(of: purchase.origin).contains { said, kind in
                guard kind == purchase.kind, said.cancellationDate == nil else { return false }
                // The contents, and the duration of a non-renewing subscription, come from the catalog.
                var reading = Fact.Purchase(said, as: kind, in: signed)
                reading.contents = purchase.contents
                if kind == .nonRenewingSubscription { reading.period = purchase.period }
                return reading == purchase
            }
        case .term(let term):
            readings(of: term.origin).contains { said, kind in
                let reading = Fact.Purchase(said, as: kind, in: signed)
                // An upgrade to a better subscription is not compared: it may be known from other data.
                return said.cancellationDate == nil && reading.origin == term.origin
                    && reading.period?.expirationDate == term.period.expirationDate
            }
        case .revocation(var revocation):
            readings(of: revocation.origin).contains { said, kind in
                revocation.debited = nil
                return Fact.Revocation(said, as: kind, in: signed) == revocation
            }
        case .reinstatement(let reinstatement):
            readings(of: reinstatement.origin).contains { said, kind in
                said.cancellationDate == nil
                    && Fact.Purchase(said, as: kind, in: signed).origin == reinstatement.origin
            }
        default: false
        }
    }

    /// Returns the purchases in the receipt with the transaction identifier of an origin, each with the type of its
    /// product.
    private func readings(of origin: Fact.Origin) -> [(ReceiptPurchase, ProductKind)] {
        (purchases[origin.transactionID] ?? []).compactMap { purchase in purchase.kind.map { (purchase, $0) } }
    }

    /// Returns `true` if the receipt contains the original purchase of the app. For the sandbox, the recorded version
    /// may be one that the app has set (``SandboxOriginalVersion/override(_:)``). A receipt does not contain the
    /// platform.
    private func says(_ purchase: Fact.AppPurchase) -> Bool {
        let (receipt, environment) = (signed.receipt, signed.receipt.type.environment)
        let isSandboxVersion = environment == .sandbox && receipt.originalApplicationVersion == "1.0"
        return (purchase.original.version == receipt.originalApplicationVersion || isSandboxVersion)
            && purchase.original.date == receipt.originalPurchaseDate && purchase.environment == environment.rawValue
            && purchase.signedDate == receipt.creationDate && purchase.receiptDigest == signed.digest
    }
}
