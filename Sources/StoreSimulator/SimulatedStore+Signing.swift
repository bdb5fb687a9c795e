internal import FileSystem
public import Foundation
internal import ProductCatalog
public import Purchasing
internal import Receipts

extension SimulatedStore {
    /// Signs the current state of a transaction, with a later date than any signature of an earlier state.
    ///
    /// - Parameter date: Date at which the transaction was in its current state or an earlier one.
    func sign(_ transaction: SimulatedTransaction, at date: Date) throws(SimulatedStoreError) -> StoreTransaction {
        let signedDate = max(date, transaction.signedFrom)
        latestSignature.withLock { $0 = max($0, signedDate.milliseconds) }
        let payload = TransactionPayload(
            transactionID: transaction.id,
            originalTransactionID: transaction.id,
            bundleIdentifier: bundleIdentifier,
            productIdentifier: transaction.productIdentifier,
            purchaseDate: transaction.purchaseDate,
            originalPurchaseDate: transaction.purchaseDate,
            quantity: transaction.quantity,
            type: transaction.kind.signedType,
            environment: .sandbox,
            signedDate: signedDate,
            storefront: transaction.storefront,
            price: transaction.price,
            currency: transaction.currency,
            revocationDate: transaction.revocationDate,
            ownershipType: transaction.ownershipType,
            appAccountToken: transaction.accountToken
        )
        return StoreTransaction(id: transaction.id, signedData: try sign(payload))
    }

    /// Signs the original purchase of the app.
    func sign(_ original: OriginalPurchase) throws(SimulatedStoreError) -> String {
        try sign(
            AppTransactionPayload(
                bundleIdentifier: bundleIdentifier,
                applicationVersion: original.version,
                originalApplicationVersion: original.version,
                originalPurchaseDate: original.date,
                originalPlatform: original.platform?.rawValue,
                environment: .sandbox,
                signedDate: now()
            ))
    }

    private func sign(_ payload: some Encodable) throws(SimulatedStoreError) -> String {
        do {
            return try identity.sign(payload)
        } catch {
            throw SimulatedStoreError(code: .damaged, reason: "the store cannot sign: \(error)")
        }
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
    /// Root certificate that verifiers of app receipts must trust, in PEM. The keys are created when the certificate or
    /// a receipt is first requested.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be used.
    public var receiptRootCertificate: String {
        get throws(SimulatedStoreError) {
            let identity = try receiptSigningIdentity()
            do {
                return try identity.rootPEM
            } catch {
                throw SimulatedStoreError(
                    code: .damaged, reason: "the root certificate of receipts cannot be encoded: \(error)")
            }
        }
    }

    /// Identifier of this device, for which receipts are issued.
    public var deviceIdentifier: Data { seed.deviceIdentifier }

    /// Removes the app receipt from the device.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func removeAppReceipt() async throws(SimulatedStoreError) { try await database.removeDeviceReceipt() }

    public func appReceipt() async throws(StoreError) -> Data? {
        let failure = try await takeFailure(of: .appReceipt)
        guard failure != .appReceipt else {
            throw StoreError(code: .unavailable, reason: "the app receipt on the device cannot be read")
        }
        do throws(SimulatedStoreError) {
            guard let onDevice = try await database.deviceReceipt() else { return nil }
            var receipt = try await signed(onDevice)
            if failure == .damagedReceipt, let last = receipt.popLast() { receipt.append(~last) }
            return receipt
        } catch {
            throw StoreError(error)
        }
    }

    public func refreshAppReceipt(_ request: ReceiptRequest) async throws(StoreError) -> Data {
        try await check(.refreshReceipt)
        do throws(SimulatedStoreError) {
            return try await signed(try await database.issueReceipt(request, at: now()))
        } catch {
            throw StoreError(error)
        }
    }

    /// Returns a receipt with its signature; each receipt is signed only once.
    private func signed(_ receipt: DeviceReceipt) async throws(SimulatedStoreError) -> Data {
        if let signed = receipt.signed { return signed }
        let identity = try receiptSigningIdentity()
        let signed: Data
        do {
            signed = try identity.sign(payload: Array(receipt.payload))
        } catch {
            throw SimulatedStoreError(code: .damaged, reason: "the store cannot sign a receipt: \(error)")
        }
        return try await database.keep(receipt, signed: signed)
    }

    private func receiptSigningIdentity() throws(SimulatedStoreError) -> ReceiptSigningIdentity {
        if let identity = receiptIdentity.withLock({ $0 }) { return identity }
        let date = now()
        let pem = try database.receiptPEM {
            try ReceiptSigningIdentity(commonName: "Vitrine Simulated Store", around: date).pem
        }
        do {
            let identity = try ReceiptSigningIdentity(pem: pem)
            receiptIdentity.withLock { $0 = identity }
            return identity
        } catch {
            throw SimulatedStoreError(
                code: .damaged, reason: "the identity that signs receipts cannot be read: \(error)")
        }
    }
}
