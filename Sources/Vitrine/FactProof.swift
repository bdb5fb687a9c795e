internal import Entitlements
internal import Foundation
internal import Purchasing
internal import Receipts

/// Looks whether facts are what the store has signed.
struct FactProof {
    private let verifier: any TransactionVerifier
    /// What the app itself says about transactions; `nil` where it is not asked.
    private let appVerification: (@Sendable (SignedTransaction) async -> AppVerification)?
    private let now: Date
    private let receipts: [String: Verification<ReceiptProof>]

    /// - Parameters:
    ///   - entries: Among them are the receipts that facts were read from.
    ///   - areMoved: They are another ledger's.
    init(
        verifier: any TransactionVerifier, receiptVerifier: (any ReceiptVerifier)?,
        appVerification: (@Sendable (SignedTransaction) async -> AppVerification)?, entries: [LedgerEntry],
        areMoved: Bool, now: Date
    ) async {
        self.verifier = verifier
        self.appVerification = appVerification
        self.now = now
        var receipts: [String: Verification<ReceiptProof>] = [:]
        for case .receipt(let receipt) in entries.map(\.fact) {
            receipts[receipt.digest] = await ReceiptProof.of(receipt, by: receiptVerifier, isMoved: areMoved)
        }
        self.receipts = receipts
    }

    /// - Returns: Why what a fact says was signed was not; `nil` where it was, and for what nobody signs.
    func problem(with fact: Fact) async -> String? {
        if let digest = fact.kind == .receipt ? fact.key : fact.receiptDigest {
            guard let receipt = receipts[digest] else { return "the receipt that it was read from is missing" }
            if let problem = Self.problem(receipt, { $0.says(fact) }) { return problem }
            return appVerification != nil && fact.gives ? "the app has not been asked about it" : nil
        }
        if case .appPurchase(let purchase) = fact {
            return await Self.problem(verifier.verify(appTransaction: purchase.signedData), purchase.isSaid)
        }
        guard let origin = fact.origin else { return nil }
        let verification = await verifier.verify(transaction: origin.signedData)
        if let problem = Self.problem(verification, { isSaid(fact, by: $0) }) { return problem }
        guard case .verified(let signed) = verification, signed.payload.revocationDate == nil else { return nil }
        return switch await appVerification?(signed) ?? .verified {
        case .verified: nil
        case .rejected(let reason), .undetermined(let reason): reason
        }
    }

    private static func problem<Value>(_ verification: Verification<Value>, _ isSaid: (Value) -> Bool) -> String? {
        switch verification {
        case .verified(let signed): isSaid(signed) ? nil : "the signed data says something else"
        case .rejected(let reasons): reasons.inWords
        case .undetermined(let reason): reason
        }
    }

    private func isSaid(_ fact: Fact, by signed: SignedTransaction) -> Bool {
        switch fact {
        case .purchase(let purchase): purchase.isSaid(by: signed)
        case .term(let term): isSaid(term, by: signed)
        case .revocation(let revocation):
            revocation.origin.isSaid(by: signed, orKeptAs: revocation.revocationDate)
                && signed.payload.revocationDate == revocation.revocationDate
        case .reinstatement(let reinstatement):
            reinstatement.origin == Fact.Origin(signed) && signed.payload.revocationDate == nil
        default: true
        }
    }

    /// Grace comes with what is signed about the renewal, which is not kept: no more of it is believed than a store
    /// gives.
    private func isSaid(_ term: Fact.Term, by signed: SignedTransaction) -> Bool {
        guard let period = Fact.Purchase(signed)?.period else { return false }
        var (origin, said) = (Fact.Origin(signed), period)
        guard let grace = term.period.gracePeriodExpirationDate else {
            return term == Fact.Term(origin: origin, period: said)
        }
        let latest = max(origin.signedDate, min(said.latestGrace, now))
        guard grace <= said.latestGrace, (origin.signedDate...latest).contains(term.origin.signedDate) else {
            return false
        }
        origin.signedDate = term.origin.signedDate
        said.gracePeriodExpirationDate = grace
        return term == Fact.Term(origin: origin, period: said)
    }
}

extension Fact {
    /// Something may be owned because of it.
    fileprivate var gives: Bool { [.purchase, .term, .reinstatement].contains(kind) }
}

extension Fact.Origin {
    /// - Parameter date: What ledgers of earlier versions kept in place of the signed date, which is not before it.
    fileprivate func isSaid(by signed: SignedTransaction, orKeptAs date: Date) -> Bool {
        var said = Fact.Origin(signed)
        if signedDate == date, said.signedDate > date { said.signedDate = date }
        return self == said
    }
}

extension Fact.Purchase {
    /// What it contained, and how long a subscription that does not renew itself lasts, the catalog has said.
    fileprivate func isSaid(by signed: SignedTransaction) -> Bool {
        guard var said = Fact.Purchase(signed), origin.isSaid(by: signed, orKeptAs: purchaseDate) else { return false }
        said.origin = origin
        said.contents = contents
        if kind == .nonRenewingSubscription { said.period = period }
        if let grace = period?.gracePeriodExpirationDate, let latest = said.period?.latestGrace, grace <= latest {
            said.period?.gracePeriodExpirationDate = grace
        }
        return self == said && signed.payload.revocationDate == nil
    }
}

extension Fact.Period {
    /// What the store gives beyond the end of a subscription, at most: a grace period is 28 days long or shorter.
    fileprivate var latestGrace: Date { expirationDate + 28 * 86_400 }
}

extension Fact.AppPurchase {
    /// The version may be the one that the app has put in the place of the sandbox's.
    fileprivate func isSaid(by signed: SignedAppTransaction) -> Bool {
        let payload = signed.payload
        let isSandboxVersion = payload.environment == .sandbox && payload.originalApplicationVersion == "1.0"
        return (original.version == payload.originalApplicationVersion || isSandboxVersion)
            && original.date == payload.originalPurchaseDate
            && (payload.originalPlatform == nil || payload.originalPlatform == original.platform?.rawValue)
            && environment == payload.environment.rawValue && signedDate == payload.signedDate
    }
}
