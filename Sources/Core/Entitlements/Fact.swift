internal import VitrineCatalog
internal import VitrineSupport

/// Fact recorded in a ledger. Facts determine a customer's ownership of products and the balances of their wallets.
public enum Fact: Sendable, Hashable {
    case purchase(Purchase)
    case term(Term)
    case renewal(Renewal)
    case revocation(Revocation)
    case reinstatement(Reinstatement)
    case grant(Grant)
    case lock(Lock)
    case credit(Credit)
    case deposit(Deposit)
    case debit(Debit)
    case appPurchase(AppPurchase)
    case receipt(Receipt)
    case content(Content)
    case loss(Loss)
    case settlement(Settlement)
    case note(Note)
    case counterpart(Counterpart)
    case adjustment(Adjustment)
    case lease(Lease)
    case release(Release)

    /// Type of a fact.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case purchase, term, renewal, revocation, reinstatement, grant, lock, credit, deposit, debit, appPurchase,
            receipt
        case content, loss, settlement, note, counterpart, adjustment, lease, release
    }

    public var kind: Kind {
        switch self {
        case .purchase: .purchase
        case .term: .term
        case .renewal: .renewal
        case .revocation: .revocation
        case .reinstatement: .reinstatement
        case .grant: .grant
        case .lock: .lock
        case .credit: .credit
        case .deposit: .deposit
        case .debit: .debit
        case .appPurchase: .appPurchase
        case .receipt: .receipt
        case .content: .content
        case .loss: .loss
        case .settlement: .settlement
        case .note: .note
        case .counterpart: .counterpart
        case .adjustment: .adjustment
        case .lease: .lease
        case .release: .release
        }
    }

    /// Key that identifies the fact among all facts of its kind: the purchase ID, the caller's token, the receipt's
    /// digest, or the purchase ID with the signing date, for a revocation also with the refunded part and the date.
    public var key: String {
        switch self {
        case .purchase(let purchase): purchase.origin.purchaseID
        case .term(let term): term.origin.statementKey
        case .renewal(let renewal): renewal.origin.statementKey
        case .revocation(let revocation): revocation.key
        case .reinstatement(let reinstatement): reinstatement.origin.statementKey
        case .grant(let grant): grant.token
        case .lock(let lock): lock.token
        case .credit(let credit): credit.purchaseID
        case .deposit(let deposit): deposit.token
        case .debit(let debit): debit.token
        case .appPurchase(let purchase):
            "\(purchase.environment) \(purchase.original.platform?.rawValue ?? "-") \(purchase.original.version) "
                + "\(purchase.original.date.milliseconds) \(purchase.signedDate.milliseconds)"
        case .receipt(let receipt): receipt.digest
        case .content(let content):
            "\(content.productIdentifier) \(content.version) \(content.digest ?? "-")"
        case .loss(let loss): loss.token
        case .settlement(let settlement): settlement.token
        case .note(let note): note.token
        case .counterpart(let counterpart):
            "\(counterpart.kind.rawValue) \(counterpart.moment.milliseconds) \(counterpart.device) "
                + "\(counterpart.distinction) \(counterpart.subject)"
        case .adjustment(let adjustment): adjustment.token
        case .lease(let lease): lease.token
        case .release(let release): release.token
        }
    }

    /// Signed store data that is the source of the fact; `nil` for facts that the app itself records.
    public var origin: Origin? {
        switch self {
        case .purchase(let purchase): purchase.origin
        case .term(let term): term.origin
        case .renewal(let renewal): renewal.origin
        case .revocation(let revocation): revocation.origin
        case .reinstatement(let reinstatement): reinstatement.origin
        case .grant, .lock, .credit, .deposit, .debit, .appPurchase, .receipt, .content, .loss, .settlement, .note,
            .counterpart, .adjustment, .lease, .release:
            nil
        }
    }

    /// Digest of the receipt that is the source of the fact; `nil` for a fact from another source.
    public var receiptDigest: String? {
        if case .appPurchase(let purchase) = self { purchase.receiptDigest } else { origin?.receiptDigest }
    }

    /// Wallet whose balance the fact changes, with the number of units: positive if they are added, negative if
    /// removed.
    public var walletChange: WalletAmount? {
        switch self {
        case .credit(let credit): WalletAmount(wallet: credit.wallet, amount: credit.amount)
        case .deposit(let deposit): WalletAmount(wallet: deposit.wallet, amount: deposit.amount)
        case .debit(let debit): WalletAmount(wallet: debit.wallet, amount: debit.amount.negatedSaturated)
        case .revocation(let revocation):
            revocation.debited.map { WalletAmount(wallet: $0.wallet, amount: $0.amount.negatedSaturated) }
        case .reinstatement(let reinstatement): reinstatement.credited
        case .adjustment(let adjustment): WalletAmount(wallet: adjustment.wallet, amount: adjustment.amount)
        case .purchase, .term, .renewal, .grant, .lock, .appPurchase, .receipt, .content, .loss, .settlement, .note,
            .counterpart, .lease, .release:
            nil
        }
    }

    /// Wallet that the fact belongs to, even if the fact does not change its balance.
    package var wallet: String? {
        switch self {
        case .counterpart(let counterpart): counterpart.units?.wallet
        case .lease(let lease): lease.wallet
        default: walletChange?.wallet
        }
    }

    /// Returns `true` if the two facts have the same kind and key but cannot both be true.
    ///
    /// A purchase that the store sends again may have a new signature, and the catalog may have changed its number of
    /// units in the meantime. Neither is a contradiction: the credit that was recorded first remains valid.
    public func contradicts(_ other: Fact) -> Bool {
        switch (self, other) {
        case (.grant(let left), .grant(let right)): left.productIdentifier != right.productIdentifier
        case (.lock(let left), .lock(let right)): left.productIdentifier != right.productIdentifier
        case (.credit(let left), .credit(let right)): left.productIdentifier != right.productIdentifier
        case (.deposit(let left), .deposit(let right)): left.wallet != right.wallet || left.amount != right.amount
        case (.debit(let left), .debit(let right)): left != right
        case (.content(let left), .content(let right)):
            left.productIdentifier != right.productIdentifier || left.version != right.version
        default: origin?.productIdentifier != other.origin?.productIdentifier
        }
    }
}

/// Number of units that a fact adds to a wallet or removes from it.
public struct WalletAmount: Sendable, Hashable {
    public var wallet: String
    public var amount: Int

    /// Largest number of units of a fact that is received from another device, and of a lease: more than a wallet
    /// contains.
    package static let largest = 1 << 48

    public init(wallet: String, amount: Int) {
        self.wallet = wallet
        self.amount = amount
    }
}

extension Fact.Counterpart {
    /// Number in the key that distinguishes records of one device about one fact: the units, or the end of a
    /// non-renewing subscription.
    fileprivate var distinction: Int64 {
        kind == .purchase ? expirationDate?.milliseconds ?? 0 : Int64(units?.amount ?? 0)
    }
}
