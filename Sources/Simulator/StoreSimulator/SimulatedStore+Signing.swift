public import Foundation
internal import VitrineCatalog
public import VitrinePurchasing
internal import VitrineReceipts
public import VitrineSupport

/// Request to sign a transaction in its state at a date.
struct SigningRequest: Sendable {
    let transaction: SimulatedTransaction
    let renewal: RenewalPayload?
    /// Date of the store when the signature was requested. The signature has this date, or the earliest date that the
    /// transaction's state permits, if that is later.
    let date: Date
    /// Earliest date for a signature of the renewal information in its present state.
    var renewalSignedFrom = Date.distantPast
}

extension StoreTransactionScope {
    func signing(_ record: PurchaseRecord) throws -> SigningRequest {
        let subscription = try subscription(endingWith: record)
        return SigningRequest(
            transaction: record.transaction(isFinished: false),
            renewal: subscription.map { renewalInformation(of: $0, record) }, date: date,
            renewalSignedFrom: Date(milliseconds: subscription?.signedFrom ?? 0))
    }

    /// Returns the request to sign a transaction without the renewal information of its subscription.
    func signingAlone(_ record: PurchaseRecord) -> SigningRequest {
        SigningRequest(transaction: record.transaction(isFinished: false), renewal: nil, date: date)
    }

    /// Returns `true` if devices know the present state of a transaction. Offline, they know only states from before
    /// the connection was lost.
    func isKnownToDevices(_ record: PurchaseRecord) -> Bool {
        settings.offlineDate.map { record.signedFrom <= $0 } ?? true
    }

    /// Returns the request to sign a transaction as a device has it. An offline device has a copy without renewal
    /// information, which was signed before the connection was lost.
    func signingOnDevice(_ record: PurchaseRecord) throws -> SigningRequest {
        guard let offlineDate = settings.offlineDate else { return try signing(record) }
        return SigningRequest(
            transaction: record.transaction(isFinished: false), renewal: nil,
            date: min(date, Date(milliseconds: offlineDate)))
    }
}

extension StoreCore {
    /// Signs the transactions of one response to the app on a device. Each signature has a later date than those of the
    /// transaction's earlier states. With ``SimulatedFailure/verification``, the signatures are invalid.
    func sign(
        _ requests: [SigningRequest], on device: Int64
    ) async throws(SimulatedStoreError) -> [StoreTransaction] {
        try await sign(requests.map { ($0, device) })
    }

    /// Signs transactions, each for a device.
    func sign(
        _ requests: [(request: SigningRequest, device: Int64)]
    ) async throws(SimulatedStoreError) -> [StoreTransaction] {
        guard !requests.isEmpty else { return [] }
        let isValid = try await database.consumeFailure(for: .verification) == nil
        var signed: [StoreTransaction] = []
        for (request, device) in requests {
            let transaction = try signOnce(request, on: device)
            signed.append(isValid ? transaction : transaction.withAlteredSignature)
        }
        return signed
    }

    /// Signs a transaction with its renewal information, regardless of simulated failures.
    ///
    /// - Parameter device: Device to which the data is bound; `nil` for data that a server receives, which is bound to
    ///   none.
    func signOnce(_ request: SigningRequest, on device: Int64?) throws(SimulatedStoreError) -> StoreTransaction {
        let (payload, information) = payloads(of: request, on: device)
        let signedRenewal: String? = if let information { try sign(information) } else { nil }
        return StoreTransaction(
            id: request.transaction.id, signedData: try sign(payload), signedRenewal: signedRenewal)
    }

    /// Returns the data that the store signs for a transaction: its payload, and the renewal information of the
    /// subscription.
    ///
    /// - Parameter device: Device to which the data is bound; `nil` for a server.
    func payloads(
        of request: SigningRequest, on device: Int64?
    ) -> (transaction: TransactionPayload, renewal: RenewalPayload?) {
        let transaction = request.transaction
        let signedDate = max(request.date, transaction.signedFrom)
        noteSignature(at: signedDate.milliseconds)
        var payload = TransactionPayload(
            transactionID: transaction.id,
            originalTransactionID: transaction.originalID,
            bundleIdentifier: bundleIdentifier,
            productIdentifier: transaction.productIdentifier,
            purchaseDate: transaction.purchaseDate,
            originalPurchaseDate: transaction.originalPurchaseDate,
            quantity: transaction.quantity,
            type: transaction.kind.signedType,
            environment: environment,
            signedDate: signedDate,
            storefront: transaction.storefront,
            price: transaction.ownershipType == .purchased ? transaction.price : nil,
            currency: transaction.ownershipType == .purchased ? transaction.currency : nil,
            revocationDate: transaction.revocationDate,
            expiresDate: transaction.expirationDate,
            isUpgraded: transaction.isUpgraded ? true : nil,
            ownershipType: transaction.ownershipType,
            appAccountToken: transaction.accountToken
        )
        payload.reason = transaction.isRenewal ? .renewal : .purchase
        payload.storefrontID =
            environment == .xcode ? transaction.storefront : StorefrontIdentifier.identifier(of: transaction.storefront)
        payload.appTransactionID = seed.appTransactionID(of: transaction.customer)
        if transaction.revocationDate != nil {
            payload.revocationReason = .other
            payload.revocationType = transaction.revocationType
            // Apple signs the percentage of every refund, also of the whole price, but of no end of sharing:
            // https://developer.apple.com/documentation/appstoreserverapi/revocationpercentage
            payload.revocationPercentage =
                transaction.revocationType == .fullRefund ? 100_000 : transaction.revocationPercentage
        }
        if let group = transaction.groupID {
            payload.subscriptionGroupIdentifier = group
            payload.webOrderLineItemID = seed.webOrderLineItemID(of: transaction.id)
        }
        // Signed data on a device is bound to the device; data that a server gets from the App Store is not.
        if let device {
            (payload.deviceVerificationNonce, payload.deviceVerification) = seed.deviceVerification(
                of: transaction.id, at: signedDate, on: device)
        }
        if let offer = transaction.offer {
            (payload.offerType, payload.offerIdentifier) = (offer.type, offer.identifier)
            (payload.offerDiscountType, payload.offerPeriod) = (offer.discountType, offer.duration?.description)
        }
        var information = request.renewal
        if let date = information?.signedDate { information?.signedDate = max(date, signedDate) }
        information?.deviceVerification = payload.deviceVerification
        information?.deviceVerificationNonce = payload.deviceVerificationNonce
        return (payload, information)
    }

    /// Signs an app transaction with a customer's original purchase of the app.
    ///
    /// - Parameter device: Device to which the data is bound; `nil` for a server.
    func sign(
        _ original: OriginalPurchase, of customer: Int64, at date: Date, on device: Int64?
    ) throws(SimulatedStoreError) -> String {
        var payload = AppTransactionPayload(
            bundleIdentifier: bundleIdentifier,
            applicationVersion: original.version,
            originalApplicationVersion: original.version,
            originalPurchaseDate: original.date,
            originalPlatform: original.platform?.rawValue,
            environment: environment,
            signedDate: date
        )
        payload.appTransactionID = seed.appTransactionID(of: customer)
        payload.appIdentifier = appIdentifier
        if let device {
            (payload.deviceVerificationNonce, payload.deviceVerification) = seed.deviceVerification(
                of: "app transaction", at: date, on: device)
        }
        return try sign(payload)
    }

    func sign(_ payload: some Encodable) throws(SimulatedStoreError) -> String {
        try SimulatedStoreError.mapping(damaged: "the simulated store cannot sign its data") {
            try signingIdentity.sign(payload)
        }
    }
}

extension CodedError<SimulatedStoreErrorCode> {
    /// Calls a function. An error becomes an error with the code `damaged`, whose reason begins with a text.
    static func mapping<Value>(
        damaged reason: String, _ body: () throws -> Value
    ) throws(SimulatedStoreError) -> Value {
        do {
            return try body()
        } catch {
            throw SimulatedStoreError(code: .damaged, reason: "\(reason): \(error)")
        }
    }
}

extension StoreTransaction {
    /// Copy of the transaction with wrong signatures of the transaction and of its renewal information.
    fileprivate var withAlteredSignature: StoreTransaction {
        StoreTransaction(
            id: id, signedData: Self.altered(signedData), signedRenewal: signedRenewal.map(Self.altered))
    }

    /// Returns a copy of a compact JWS (RFC 7515, section 7.1) in which the first six bits of the signature differ.
    private static func altered(_ jws: String) -> String {
        guard let dot = jws.lastIndex(of: ".") else { return jws }
        let signature = jws[dot...].dropFirst()
        return "\(jws[...dot])\(signature.first == "A" ? "B" : "A")\(signature.dropFirst())"
    }
}

extension ProductKind {
    fileprivate var signedType: SignedProductKind {
        switch self {
        case .consumable: .consumable
        case .nonConsumable: .nonConsumable
        case .nonRenewingSubscription: .nonRenewingSubscription
        case .autoRenewableSubscription: .autoRenewableSubscription
        case .unknown: SignedProductKind(rawValue: "Unknown")
        }
    }
}

extension SimulatedStore {
    /// Root certificate that a verifier must trust to accept the app receipts of this store, in PEM. The store creates
    /// the keys that sign receipts when the certificate or a receipt is first requested.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be used.
    public var receiptRootCertificate: String {
        get throws(SimulatedStoreError) {
            let identity = try receiptSigningIdentity()
            let reason = "the root certificate of app receipts cannot be encoded"
            return try SimulatedStoreError.mapping(damaged: reason) { try identity.rootPEM }
        }
    }

    /// Identifier of this device, to which app receipts are bound.
    public var deviceIdentifier: Data { core.seed.deviceIdentifier(of: identity.device) }

    /// Removes the app receipt from the device.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func removeAppReceipt() async throws(SimulatedStoreError) {
        try await core.database.removeReceipt(of: identity.device)
    }

    public func appReceipt() async throws(StoreError) -> Data? {
        let failure = try await consumeFailure(of: .appReceipt)
        guard failure != .appReceipt else {
            throw StoreError(code: .unavailable, reason: "the app receipt on the device cannot be read")
        }
        return try await StoreError.converting { () async throws(SimulatedStoreError) in
            guard let onDevice = try await core.database.receipt(of: identity.device) else { return nil }
            var receipt = try await signed(onDevice)
            if failure == .damagedReceipt, let last = receipt.popLast() { receipt.append(~last) }
            return receipt
        }
    }

    public func refreshAppReceipt(_ request: ReceiptRequest) async throws(StoreError) -> Data {
        try await check(.refreshReceipt)
        return try await StoreError.converting { () async throws(SimulatedStoreError) in
            try await signed(
                try await core.perform { [identity] in try DeviceReceipt.issue(request, on: identity.device, in: $0) })
        }
    }

    /// Returns the signed form of a receipt. Each receipt is signed only once.
    private func signed(_ receipt: DeviceReceipt) async throws(SimulatedStoreError) -> Data {
        if let signed = receipt.signed { return signed }
        let identity = try receiptSigningIdentity()
        let signed = try SimulatedStoreError.mapping(damaged: "the simulated store cannot sign an app receipt") {
            try identity.sign(payload: Array(receipt.payload))
        }
        return try await core.database.store(receipt, signed: signed)
    }

    private func receiptSigningIdentity() throws(SimulatedStoreError) -> ReceiptSigningIdentity {
        if let identity = core.receiptIdentity.withLock({ $0 }) { return identity }
        let date = try core.now()
        let pem = try core.database.receiptPEM {
            try ReceiptSigningIdentity(commonName: "Vitrine Simulated Store", around: date).pem
        }
        let reason = "the key and certificates that sign app receipts cannot be read"
        let identity = try SimulatedStoreError.mapping(damaged: reason) { try ReceiptSigningIdentity(pem: pem) }
        core.receiptIdentity.withLock { $0 = identity }
        return identity
    }
}
