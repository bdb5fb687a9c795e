internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// App receipt on a device, as stored in the database of the simulated store.
struct DeviceReceipt: Codable, Equatable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "deviceReceipt"

    /// Number of the device with the receipt.
    let id: Int64
    /// Payload of the receipt, which the store signs.
    let payload: Data
    /// Whole signed receipt; `nil` until the receipt is first read.
    var signed: Data?

    private init(device: Int64, payload: [UInt8]) { (id, self.payload) = (device, Data(payload)) }
}

extension StoreDatabase {
    func receipt(of device: Int64) async throws(SimulatedStoreError) -> DeviceReceipt? {
        try await read { try DeviceReceipt.fetchOne($0, key: device) }
    }

    /// Stores the signed form of a receipt on its device, unless another receipt has replaced it in the meantime.
    ///
    /// - Returns: The signed receipt of an earlier call, or else `signed`.
    func store(_ receipt: DeviceReceipt, signed: Data) async throws(SimulatedStoreError) -> Data {
        try await write { database in
            guard var stored = try DeviceReceipt.fetchOne(database, key: receipt.id), stored.payload == receipt.payload
            else {
                return signed
            }
            if let earlier = stored.signed { return earlier }
            try stored.updateChanges(database) { $0.signed = signed }
            return signed
        }
    }

    func removeReceipt(of device: Int64) async throws(SimulatedStoreError) {
        try await write { _ = try DeviceReceipt.deleteOne($0, key: device) }
    }
}

extension DeviceReceipt {
    /// Issues an app receipt with the current state of the store, and stores it on the device.
    ///
    /// - Parameter device: Number of the device; `nil` for a device that the store does not know, which gets no
    ///   receipt.
    static func issue(_ request: ReceiptRequest, on device: Int64?, in scope: StoreTransactionScope) throws {
        if let device { _ = try issue(request, on: device, in: scope) }
    }

    static func issue(_ request: ReceiptRequest, on device: Int64, in scope: StoreTransactionScope) throws
        -> DeviceReceipt
    {
        let (database, date) = (scope.database, scope.date)
        let identity = try StoreIdentity.fetch(from: database)
        guard let customer = try DeviceRecord.fetchOne(database, key: device)?.customer else {
            throw SimulatedStoreError(
                code: .damaged, reason: "the database of the simulated store has no device \(device)")
        }
        let original = try AppPurchaseRecord.fetchOne(database, key: customer)?.purchase
        let unfinished = try UnfinishedRecord.purchases(of: device, in: database)
        let purchases = try PurchaseRecord.transactions(of: customer).order { $0.id }
            .fetchAll(database).filter { $0.kind != .consumable || unfinished.contains($0.number) }
            .map { $0.transaction(isFinished: false) }
        // Dates in a receipt have no fractions of a second.
        let creationDate = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        let day: TimeInterval = 86_400
        let types: (ReceiptType, volume: ReceiptType) =
            scope.core.environment == .production
            ? (.production, .productionVolumePurchase) : (.sandbox, .sandboxVolumePurchase)
        let receipt = AppReceipt(
            type: request.isVolumePurchase ? types.volume : types.0,
            bundleIdentifier: identity.bundleIdentifier,
            applicationVersion: original?.version ?? "1.0",
            originalApplicationVersion: original?.version,
            creationDate: creationDate,
            originalPurchaseDate: original?.date,
            expirationDate: request.isExpired ? creationDate - day : request.isRevoked ? creationDate : nil,
            ageRating: "4+",
            opaqueValue: identity.storeSeed.opaqueValue,
            purchases: purchases.map(ReceiptPurchase.init))
        let issued = DeviceReceipt(
            device: device,
            payload: try ReceiptSigningIdentity.payload(
                of: receipt, deviceIdentifier: identity.storeSeed.deviceIdentifier(of: device)))
        try issued.upsert(database)
        return issued
    }

    /// Issues a new receipt for each device of a customer that already has one.
    static func reissue(for customer: Int64, in scope: StoreTransactionScope) throws {
        for device in try DeviceIdentity.devices(of: customer, in: scope.database)
        where try exists(scope.database, key: device) {
            _ = try issue(ReceiptRequest(), on: device, in: scope)
        }
    }
}

extension ReceiptPurchase {
    fileprivate init(_ transaction: SimulatedTransaction) {
        self.init(
            quantity: transaction.quantity,
            productIdentifier: transaction.productIdentifier,
            transactionID: transaction.id,
            originalTransactionID: transaction.originalID,
            purchaseDate: transaction.purchaseDate,
            originalPurchaseDate: transaction.originalPurchaseDate,
            productType: ReceiptProductType(transaction.kind),
            expirationDate: transaction.expirationDate,
            cancellationDate: transaction.revocationDate)
    }
}

extension ReceiptProductType {
    /// Creates the receipt's product type for a kind of product.
    ///
    /// - Returns: `nil` for a kind that receipts do not contain.
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
