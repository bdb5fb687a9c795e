internal import Foundation
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineReceipts

/// Verifier that compares facts with the data that the store has signed.
struct FactProof {
    private let verifier: any TransactionVerifier
    /// The app's own verification of transactions; `nil` to verify without it.
    private let appVerification: (@Sendable (SignedTransaction) async -> AppVerification)?
    private let receipts: [String: Verification<ReceiptProof>]

    /// Creates the verifier, and verifies all receipts among the entries.
    ///
    /// - Parameters:
    ///   - entries: Entries to verify, including the receipts that contain their facts.
    ///   - areMoved: `true` if the entries come from another ledger.
    init(
        verifier: any TransactionVerifier, receiptVerifier: (any ReceiptVerifier)?,
        appVerification: (@Sendable (SignedTransaction) async -> AppVerification)?, entries: [LedgerEntry],
        areMoved: Bool
    ) async {
        self.verifier = verifier
        self.appVerification = appVerification
        var receipts: [String: Verification<ReceiptProof>] = [:]
        for case .receipt(let receipt) in entries.map(\.fact) {
            receipts[receipt.digest] = await ReceiptProof.of(receipt, by: receiptVerifier, isMoved: areMoved)
        }
        self.receipts = receipts
    }

    /// Result of the verification of a fact.
    enum Judgment {
        /// The fact matches its signed data, or is never signed.
        case proved
        case refuted(String)
        /// The verification was not possible, or the app has not decided about the fact.
        case undetermined(String)
    }

    /// Checks a fact against the data that the store has signed.
    ///
    /// - Returns: Reason why a fact does not match its signed data; `nil` if it matches, and for facts that are never
    ///   signed.
    func problem(with fact: Fact) async -> String? {
        switch await judgment(on: fact) {
        case .proved: nil
        case .refuted(let reason), .undetermined(let reason): reason
        }
    }

    /// Returns the result of checking a fact against the data that the store has signed.
    func judgment(on fact: Fact) async -> Judgment {
        if let digest = fact.kind == .receipt ? fact.key : fact.receiptDigest {
            guard let receipt = receipts[digest] else {
                return .undetermined("the receipt from which the fact was read is missing")
            }
            let judgment = Self.judgment(on: receipt) { $0.says(fact) }
            guard case .proved = judgment, appVerification != nil, fact.gives else { return judgment }
            return .undetermined("the app has not verified the receipt from which the fact was read")
        }
        if case .appPurchase(let purchase) = fact {
            return await Self.judgment(on: verifier.verify(appTransaction: purchase.signedData), purchase.isSaid)
        }
        if case .renewal(let renewal) = fact {
            return await Self.judgment(on: verifier.verify(renewal: renewal.origin.signedData), renewal.isSaid)
        }
        guard let origin = fact.origin else { return .proved }
        let verification = await verifier.verify(transaction: origin.signedData)
        let judgment = Self.judgment(on: verification) { isSaid(fact, by: $0) }
        guard case .proved = judgment, case .verified(let signed) = verification, signed.payload.revocationDate == nil
        else { return judgment }
        return switch await appVerification?(signed) ?? .verified {
        case .verified: .proved
        case .rejected(let reason): .refuted(reason)
        case .undetermined(let reason): .undetermined(reason)
        }
    }

    private static func judgment<Value>(
        on verification: Verification<Value>, _ isSaid: (Value) -> Bool
    ) -> Judgment {
        switch verification {
        case .verified(let signed): isSaid(signed) ? .proved : .refuted("the signed data differs from the entry")
        case .rejected(let reasons): .refuted(reasons.joinedReasons)
        case .undetermined(let reason): .undetermined(reason)
        }
    }

    private func isSaid(_ fact: Fact, by signed: SignedTransaction) -> Bool {
        switch fact {
        case .purchase(let purchase): purchase.isSaid(by: signed)
        case .term(let term): isSaid(term, by: signed)
        case .revocation(let revocation):
            revocation.origin == Fact.Origin(signed)
                && revocation.revocationDate == signed.payload.revocationDate
                && revocation.percentage == signed.payload.revocationPercentage
        case .reinstatement(let reinstatement):
            reinstatement.origin == Fact.Origin(signed) && signed.payload.revocationDate == nil
        default: true
        }
    }

    /// Returns `true` if a signed transaction contains the recorded period of a subscription.
    private func isSaid(_ term: Fact.Term, by signed: SignedTransaction) -> Bool {
        Fact.Purchase(signed)?.period.map { term == Fact.Term(origin: Fact.Origin(signed), period: $0) } ?? false
    }
}

extension Fact {
    /// `true` if the fact can cause the ownership of a product.
    fileprivate var gives: Bool { [.purchase, .term, .reinstatement].contains(kind) }
}

extension Fact.Purchase {
    /// Returns `true` if a signed transaction contains the purchase. The purchase's contents, and the duration of a
    /// non-renewing subscription, are not compared, because they come from the catalog.
    fileprivate func isSaid(by signed: SignedTransaction) -> Bool {
        guard var said = Fact.Purchase(signed) else { return false }
        said.contents = contents
        if kind == .nonRenewingSubscription { said.period = period }
        return self == said && signed.payload.revocationDate == nil
    }
}

extension Fact.AppPurchase {
    /// Returns `true` if a signed app transaction contains the original purchase. For the sandbox, the recorded version
    /// may be one that the app has set (``SandboxOriginalVersion/override(_:)``).
    fileprivate func isSaid(by signed: SignedAppTransaction) -> Bool {
        let payload = signed.payload
        let isSandboxVersion = payload.environment == .sandbox && payload.originalApplicationVersion == "1.0"
        return (original.version == payload.originalApplicationVersion || isSandboxVersion)
            && original.date == payload.originalPurchaseDate
            && (payload.originalPlatform == nil || payload.originalPlatform == original.platform?.rawValue)
            && environment == payload.environment.rawValue && signedDate == payload.signedDate
    }
}
