package import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Entry of a ledger as flat fields, for a row of a table or an object of a JSON document. Dates are milliseconds since
/// 1970. Fields that do not apply to the kind of fact are `nil`.
package struct EntryFields: Sendable, Hashable, Codable {
    package var sequence: Int64?
    package var kind: String
    package var key: String
    package var recordedAt: Int64
    package var purchaseID: String?
    package var originalTransactionID: String?
    package var transactionID: String?
    package var productIdentifier: String?
    package var productKind: String?
    package var quantity: Int64?
    package var purchaseDate: Int64?
    package var originalPurchaseDate: Int64?
    package var expirationDate: Int64?
    package var isUpgraded: Bool?
    package var isFamilyShared: Bool?
    package var accountToken: String?
    /// Identifiers of the products that a purchased bundle contained at purchase time, one per line.
    package var contents: String?
    package var environment: String?
    package var signedDate: Int64?
    package var signedData: String?
    package var revocationDate: Int64?
    package var revocationPercentage: Int64?
    package var reason: String?
    package var author: String?
    package var wallet: String?
    package var amount: Int64?
    package var refundPolicy: String?
    package var originalVersion: String?
    package var platform: String?
    package var receiptDigest: String?
    package var contentVersion: String?
    package var contentDigest: String?
    package var contentPath: String?
    /// `true` if a subscription renews when its period ends.
    package var isRenewing: Bool?
    /// Renewal data of a subscription as JSON (`Fact.RenewalTerms`).
    package var renewalTerms: String?
    /// Identifier of the device that has recorded the fact; `nil` for the device of this ledger.
    package var device: String?
    /// Latest ``LedgerEntry/moment`` of all entries up to this one. For an entry of this device, this is its own
    /// moment. In a document, `nil` means that the moment is the recording date.
    package var moment: Int64?

    /// Creates the fields of an entry without a sequence number.
    ///
    /// - Parameters:
    ///   - kind: The raw value of ``Fact/kind-swift.property``.
    ///   - key: The value of ``Fact/key``.
    package init(kind: String, key: String, recordedAt: Int64) {
        self.kind = kind
        self.key = key
        self.recordedAt = recordedAt
    }

    package init(fact: Fact, recordedAt date: Date) {
        self.init(kind: fact.kind.rawValue, key: fact.key, recordedAt: date.milliseconds)
        set(fact.origin)
        switch fact {
        case .purchase(let purchase):
            productKind = purchase.kind.rawValue
            quantity = Int64(purchase.quantity)
            purchaseDate = purchase.purchaseDate.milliseconds
            originalPurchaseDate = purchase.originalPurchaseDate?.milliseconds
            set(purchase.period)
            isFamilyShared = purchase.isFamilyShared
            accountToken = purchase.accountToken?.uuidString
            contents = purchase.contents.isEmpty ? nil : purchase.contents.joined(separator: "\n")
        case .term(let term): set(term.period)
        case .renewal(let renewal):
            isRenewing = renewal.isRenewing
            renewalTerms = renewal.terms.json
        case .revocation(let revocation):
            revocationDate = revocation.revocationDate.milliseconds
            revocationPercentage = revocation.percentage.map(Int64.init)
            set(revocation.debited)
        case .reinstatement(let reinstatement): set(reinstatement.credited)
        case .grant(let grant):
            productIdentifier = grant.productIdentifier
            (reason, author) = (grant.reason, grant.author)
            expirationDate = grant.expirationDate?.milliseconds
        case .lock(let lock):
            productIdentifier = lock.productIdentifier
            (reason, author) = (lock.reason, lock.author)
        case .credit(let credit):
            purchaseID = credit.purchaseID
            productIdentifier = credit.productIdentifier
            set(WalletAmount(wallet: credit.wallet, amount: credit.amount))
            refundPolicy = credit.refundPolicy.rawValue
        case .deposit(let deposit):
            set(WalletAmount(wallet: deposit.wallet, amount: deposit.amount))
            reason = deposit.reason
        case .debit(let debit): set(WalletAmount(wallet: debit.wallet, amount: debit.amount))
        case .appPurchase(let purchase):
            originalVersion = purchase.original.version
            purchaseDate = purchase.original.date.milliseconds
            platform = purchase.original.platform?.rawValue
            environment = purchase.environment
            signedDate = purchase.signedDate.milliseconds
            setProof(purchase.signedData, purchase.receiptDigest)
        case .receipt(let receipt):
            environment = receipt.environment
            signedDate = receipt.signedDate.milliseconds
            signedData = receipt.signedData
        case .content(let content):
            productIdentifier = content.productIdentifier
            (contentVersion, contentDigest, contentPath) = (content.version, content.digest, content.path)
        case .loss(let loss): reason = loss.reason
        case .settlement(let settlement): (reason, author) = (settlement.reason, settlement.author)
        case .note(let note): reason = note.reason
        case .counterpart(let counterpart):
            (reason, purchaseID) = (counterpart.kind.rawValue, counterpart.subject)
            set(counterpart.units)
            refundPolicy = counterpart.refundPolicy?.rawValue
            expirationDate = counterpart.expirationDate?.milliseconds
            device = counterpart.device
            recordedAt = counterpart.moment.milliseconds
        case .adjustment(let adjustment):
            set(WalletAmount(wallet: adjustment.wallet, amount: adjustment.amount))
            if adjustment.overdrawn > 0 { quantity = Int64(adjustment.overdrawn) }
            reason = adjustment.reason
        case .lease(let lease):
            set(WalletAmount(wallet: lease.wallet, amount: lease.amount))
            expirationDate = lease.expirationDate.milliseconds
        case .release: break
        }
    }

    /// Creates the fields of an entry, including its sequence number and device. The moment is included if it differs
    /// from the recording date.
    package init(_ entry: LedgerEntry) {
        self.init(fact: entry.fact, recordedAt: entry.recordedAt)
        sequence = entry.sequence
        device = entry.device
        if device == nil, entry.moment != entry.recordedAt { moment = entry.moment.milliseconds }
    }

    private mutating func set(_ origin: Fact.Origin?) {
        guard let origin else { return }
        purchaseID = origin.purchaseID
        originalTransactionID = origin.originalTransactionID
        transactionID = origin.transactionID
        productIdentifier = origin.productIdentifier
        environment = origin.environment
        signedDate = origin.signedDate.milliseconds
        setProof(origin.signedData, origin.receiptDigest)
    }

    /// Sets the proof of a fact: signed data, or the digest of the receipt that contains the fact.
    private mutating func setProof(_ signedData: String, _ receiptDigest: String?) {
        self.receiptDigest = receiptDigest
        if receiptDigest == nil { self.signedData = signedData }
    }

    private mutating func set(_ period: Fact.Period?) {
        guard let period else { return }
        expirationDate = period.expirationDate.milliseconds
        isUpgraded = period.isUpgraded
    }

    private mutating func set(_ amount: WalletAmount?) {
        wallet = amount?.wallet
        self.amount = (amount?.amount).map(Int64.init)
    }
}

extension EntryFields {
    /// `true` if all dates are from 1970 to the year 9999.
    package var hasPossibleDates: Bool {
        let dates = [
            recordedAt, purchaseDate, originalPurchaseDate, expirationDate, signedDate, revocationDate, moment,
        ]
        return dates.allSatisfy { $0.map { (0..<253_402_300_800_000).contains($0) } ?? true }
    }
}

// MARK: - Conversion to facts

extension EntryFields {
    /// Returns the entry of the ledger that the fields describe.
    ///
    /// - Throws: ``LedgerError`` `damaged` for fields that this version of Vitrine cannot read.
    package func entry() throws(LedgerError) -> LedgerEntry {
        guard let sequence, let fact, fact.key == key else {
            throw LedgerError(
                code: .damaged, reason: "this version of Vitrine cannot read entry \(sequence ?? 0) of the ledger")
        }
        return LedgerEntry(
            sequence: sequence, recordedAt: Date(milliseconds: recordedAt), fact: fact, device: device,
            moment: device == nil ? moment.map(Date.init(milliseconds:)) : nil)
    }

    /// Fact described by the fields; `nil` if a field is missing or invalid.
    package var fact: Fact? {
        switch Fact.Kind(rawValue: kind) {
        case .purchase: purchase.map(Fact.purchase)
        case .term: both(origin, period) { .term(Fact.Term(origin: $0, period: $1)) }
        case .renewal:
            both(origin, renewalTerms.flatMap(Fact.RenewalTerms.init(json:))) {
                .renewal(Fact.Renewal(origin: $0, isRenewing: isRenewing ?? false, terms: $1))
            }
        case .revocation:
            both(origin, revocationDate) {
                .revocation(
                    Fact.Revocation(
                        origin: $0, revocationDate: Date(milliseconds: $1),
                        percentage: revocationPercentage.flatMap(Int.init(exactly:)), debited: walletAmount))
            }
        case .reinstatement:
            origin.map { .reinstatement(Fact.Reinstatement(origin: $0, credited: walletAmount)) }
        case .grant:
            both(productIdentifier, reason) {
                .grant(
                    Fact.Grant(
                        token: key, productIdentifier: $0, reason: $1, author: author ?? "",
                        expirationDate: expirationDate.map(Date.init(milliseconds:))))
            }
        case .lock:
            both(productIdentifier, reason) {
                .lock(Fact.Lock(token: key, productIdentifier: $0, reason: $1, author: author ?? ""))
            }
        case .credit: credit.map(Fact.credit)
        case .deposit:
            both(walletAmount, reason) {
                .deposit(Fact.Deposit(token: key, wallet: $0.wallet, amount: $0.amount, reason: $1))
            }
        case .debit:
            walletAmount.map { .debit(Fact.Debit(token: key, wallet: $0.wallet, amount: $0.amount)) }
        case .appPurchase: appPurchase.map(Fact.appPurchase)
        case .receipt:
            both(environment, signedDate) {
                .receipt(
                    Fact.Receipt(
                        digest: key, environment: $0, signedDate: Date(milliseconds: $1), signedData: signedData ?? ""))
            }
        case .content: content.map(Fact.content)
        case .loss: reason.map { .loss(Fact.Loss(token: key, reason: $0)) }
        case .settlement:
            reason.map { .settlement(Fact.Settlement(token: key, reason: $0, author: author ?? "")) }
        case .note: reason.map { .note(Fact.Note(token: key, reason: $0)) }
        case .counterpart: counterpart.map(Fact.counterpart)
        case .adjustment:
            both(walletAmount, reason) {
                .adjustment(
                    Fact.Adjustment(
                        token: key, wallet: $0.wallet, amount: $0.amount,
                        overdrawn: quantity.flatMap(Int.init(exactly:)) ?? 0, reason: $1))
            }
        case .lease:
            both(walletAmount, expirationDate) {
                .lease(
                    Fact.Lease(
                        token: key, wallet: $0.wallet, amount: $0.amount, expirationDate: Date(milliseconds: $1)))
            }
        case .release: .release(Fact.Release(token: key))
        case nil: nil
        }
    }

    private func both<First, Second>(
        _ first: First?, _ second: Second?, _ make: (First, Second) -> Fact
    ) -> Fact? {
        guard let first, let second else { return nil }
        return make(first, second)
    }

    private var origin: Fact.Origin? {
        guard let purchaseID, let originalTransactionID, let transactionID, let productIdentifier, let environment,
            let signedDate
        else { return nil }
        return Fact.Origin(
            purchaseID: purchaseID, originalTransactionID: originalTransactionID, transactionID: transactionID,
            productIdentifier: productIdentifier, environment: environment,
            signedDate: Date(milliseconds: signedDate), signedData: signedData ?? "", receiptDigest: receiptDigest)
    }

    private var period: Fact.Period? {
        guard let expirationDate else { return nil }
        return Fact.Period(
            expirationDate: Date(milliseconds: expirationDate), isUpgraded: isUpgraded ?? false)
    }

    private var walletAmount: WalletAmount? {
        guard let wallet, let amount = amount.flatMap(Int.init(exactly:)) else { return nil }
        return WalletAmount(wallet: wallet, amount: amount)
    }

    private var purchase: Fact.Purchase? {
        guard let origin, let kind = productKind.flatMap(ProductKind.init),
            let quantity = quantity.flatMap(Int.init(exactly:)), let purchaseDate
        else { return nil }
        return Fact.Purchase(
            origin: origin, kind: kind, quantity: quantity, purchaseDate: Date(milliseconds: purchaseDate),
            originalPurchaseDate: originalPurchaseDate.map(Date.init(milliseconds:)), period: period,
            isFamilyShared: isFamilyShared ?? false,
            accountToken: accountToken.flatMap(UUID.init(uuidString:)),
            contents: contents.map { $0.utf8.split(separator: UInt8(ascii: "\n")).compactMap(String.init) } ?? [])
    }

    private var credit: Fact.Credit? {
        guard let purchaseID, let productIdentifier, let wallet, let amount = amount.flatMap(Int.init(exactly:)),
            let policy = refundPolicy.flatMap(RefundPolicy.init)
        else { return nil }
        return Fact.Credit(
            purchaseID: purchaseID, productIdentifier: productIdentifier, wallet: wallet, amount: amount,
            refundPolicy: policy)
    }

    private var counterpart: Fact.Counterpart? {
        guard let kind = reason.flatMap(Fact.Kind.init), let purchaseID, let device else { return nil }
        return Fact.Counterpart(
            kind: kind, subject: purchaseID, units: walletAmount, refundPolicy: refundPolicy.flatMap(RefundPolicy.init),
            expirationDate: expirationDate.map(Date.init(milliseconds:)), device: device,
            moment: Date(milliseconds: recordedAt))
    }

    private var content: Fact.Content? {
        guard let productIdentifier, let contentVersion, let contentPath else { return nil }
        return Fact.Content(
            productIdentifier: productIdentifier, version: contentVersion, digest: contentDigest, path: contentPath)
    }

    private var appPurchase: Fact.AppPurchase? {
        guard let originalVersion, let purchaseDate, let environment, let signedDate else { return nil }
        return Fact.AppPurchase(
            original: OriginalPurchase(
                version: originalVersion, date: Date(milliseconds: purchaseDate),
                platform: platform.map(AppPlatform.init)),
            environment: environment, signedDate: Date(milliseconds: signedDate), signedData: signedData ?? "",
            receiptDigest: receiptDigest)
    }
}

extension Fact.RenewalTerms {
    /// Renewal data of a subscription as a JSON object with sorted keys. Dates are in milliseconds since 1970, as in the
    /// other columns.
    fileprivate var json: String? {
        let encoder = JSONEncoder.sorted
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.milliseconds)
        }
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Parses the renewal data of a subscription from a JSON object.
    ///
    /// - Returns: `nil` for another text, or a value that this version of Vitrine does not know.
    fileprivate init?(json: String) {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            Date(milliseconds: try decoder.singleValueContainer().decode(Int64.self))
        }
        guard let terms = try? decoder.decode(Self.self, from: Data(json.utf8)) else { return nil }
        self = terms
    }
}
