public import Foundation
internal import ProductCatalog
public import Purchasing
internal import Receipts
internal import Synchronization

extension SimulatedStore {
    /// The certificate that verifiers of app receipts have to be given, in PEM. The keys behind it are made when it or a
    /// receipt is first asked for.
    ///
    /// - Throws: ``SimulatedStoreError`` where the store's state cannot be used.
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

    /// What tells this device from others: receipts are issued for it.
    public var deviceIdentifier: Data { seed.deviceIdentifier }

    /// Takes the app receipt away from the device.
    ///
    /// - Throws: ``SimulatedStoreError`` where the store's state cannot be written.
    public func removeAppReceipt() async throws(SimulatedStoreError) { try await database.setDeviceReceipt(nil) }

    public func appReceipt() async throws(StoreError) -> Data? {
        let failure = try await takeFailure(of: .appReceipt)
        guard failure != .appReceipt else {
            throw StoreError(code: .unavailable, reason: "the app receipt on the device cannot be read")
        }
        do throws(SimulatedStoreError) {
            guard let request = try await database.deviceReceipt() else { return nil }
            var receipt = try await sign(request)
            if failure == .damagedReceipt, let last = receipt.popLast() { receipt.append(~last) }
            return receipt
        } catch {
            throw StoreError(error)
        }
    }

    public func refreshAppReceipt(_ request: ReceiptRequest) async throws(StoreError) -> Data {
        try await check(.refreshReceipt)
        do throws(SimulatedStoreError) {
            let receipt = try await sign(request)
            try await database.setDeviceReceipt(request)
            return receipt
        } catch {
            throw StoreError(error)
        }
    }

    /// Signs what the store knows at the moment.
    private func sign(_ request: ReceiptRequest) async throws(SimulatedStoreError) -> Data {
        // Taken before the transactions are read: a state that begins meanwhile is signed with a later date.
        let receipt = try await receipt(request, at: now())
        let identity = try receiptSigningIdentity()
        do {
            return try identity.sign(receipt, deviceIdentifier: deviceIdentifier)
        } catch {
            throw SimulatedStoreError(code: .damaged, reason: "the store cannot sign a receipt: \(error)")
        }
    }

    private func receipt(_ request: ReceiptRequest, at date: Date) async throws(SimulatedStoreError) -> AppReceipt {
        let original = try await database.appPurchase()
        let purchases = try await database.transactions().filter { $0.kind != .consumable || !$0.isFinished }
        // A receipt has no fractions of a second.
        let creationDate = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        let day: TimeInterval = 86_400
        return AppReceipt(
            type: request.isVolumePurchase ? .sandboxVolumePurchase : .sandbox,
            bundleIdentifier: bundleIdentifier,
            applicationVersion: original?.version ?? "1.0",
            originalApplicationVersion: original?.version,
            creationDate: creationDate,
            originalPurchaseDate: original?.date,
            expirationDate: request.isExpired ? creationDate - day : request.isRevoked ? creationDate : nil,
            ageRating: "4+",
            opaqueValue: seed.opaqueValue,
            purchases: purchases.map(ReceiptPurchase.init))
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

extension ReceiptPurchase {
    fileprivate init(_ transaction: SimulatedTransaction) {
        self.init(
            quantity: transaction.quantity,
            productIdentifier: transaction.productIdentifier,
            transactionID: transaction.id,
            originalTransactionID: transaction.id,
            purchaseDate: transaction.purchaseDate,
            originalPurchaseDate: transaction.purchaseDate,
            productType: ReceiptProductType(transaction.kind),
            cancellationDate: transaction.revocationDate)
    }
}

extension ReceiptProductType {
    /// - Returns: `nil` for a kind that receipts do not tell.
    fileprivate init?(_ kind: ProductKind) {
        switch kind {
        case .nonConsumable: self = .nonConsumable
        case .consumable: self = .consumable
        case .nonRenewingSubscription: self = .nonRenewingSubscription
        case .autoRenewableSubscription: self = .autoRenewableSubscription
        case .unknown: return nil
        }
    }
}
