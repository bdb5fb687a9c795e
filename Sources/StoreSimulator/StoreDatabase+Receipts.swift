internal import Foundation
internal import GRDB
internal import ProductCatalog
internal import Purchasing
internal import Receipts

/// App receipt on the device: the only row of its table, if there is one.
struct DeviceReceipt: Codable, Equatable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "deviceReceipt"

    private var id = 1
    /// Payload of the receipt, as it is signed.
    let payload: Data
    /// Whole signed receipt; `nil` until the receipt is first read.
    var signed: Data?

    private init(payload: [UInt8]) { self.payload = Data(payload) }
}

extension StoreDatabase {
    func deviceReceipt() async throws(SimulatedStoreError) -> DeviceReceipt? {
        try await read { try DeviceReceipt.fetchOne($0) }
    }

    /// Issues a receipt, which is then stored on the device.
    func issueReceipt(_ request: ReceiptRequest, at date: Date) async throws(SimulatedStoreError) -> DeviceReceipt {
        try await write { try DeviceReceipt.issue(request, at: date, in: $0) }
    }

    /// Stores a receipt with its signature, unless the device has another receipt by now.
    ///
    /// - Returns: The signed receipt, which another call may have signed before.
    func keep(_ receipt: DeviceReceipt, signed: Data) async throws(SimulatedStoreError) -> Data {
        try await write { database in
            guard var kept = try DeviceReceipt.fetchOne(database), kept.payload == receipt.payload else {
                return signed
            }
            if let earlier = kept.signed { return earlier }
            try kept.updateChanges(database) { $0.signed = signed }
            return signed
        }
    }

    func removeDeviceReceipt() async throws(SimulatedStoreError) {
        try await write { _ = try DeviceReceipt.deleteAll($0) }
    }
}

extension DeviceReceipt {
    /// Issues a receipt with the current state of the store, and stores it on the device.
    @discardableResult
    static func issue(_ request: ReceiptRequest, at date: Date, in database: Database) throws -> DeviceReceipt {
        let identity = try StoreIdentity.fetch(from: database)
        let original = try AppPurchaseRecord.fetchOne(database)?.purchase
        let purchases = try PurchaseRecord.filter { !$0.isPending }.order { $0.id }.fetchAll(database)
            .map(\.transaction).filter { $0.kind != .consumable || !$0.isFinished }
        // Dates in a receipt have no fractions of a second.
        let creationDate = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
        let day: TimeInterval = 86_400
        let receipt = AppReceipt(
            type: request.isVolumePurchase ? .sandboxVolumePurchase : .sandbox,
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
            payload: try ReceiptSigningIdentity.payload(
                of: receipt, deviceIdentifier: identity.storeSeed.deviceIdentifier))
        try issued.upsert(database)
        return issued
    }

    /// Replaces the receipt on the device by a new one, if there is one.
    static func reissue(at date: Date, in database: Database) throws {
        if try fetchCount(database) > 0 { try issue(ReceiptRequest(), at: date, in: database) }
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
    /// Creates the product type of a receipt.
    ///
    /// - Returns: `nil` for a product type that receipts do not contain.
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
